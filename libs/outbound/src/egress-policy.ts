import { InvalidEnvironmentError, type Env } from '@app/config';
import { readCidr, type Cidr } from './ip-ranges.js';

/** The operator's exceptions to "public addresses on web ports". */
export interface EgressPolicy {
  /** Each entry allows one port of one range or host name. */
  readonly allow: readonly AllowedPair[];
  readonly deny: readonly Cidr[];
  readonly ports: ReadonlySet<number>;
}

export type AllowedPair =
  | { readonly range: Cidr; readonly port: number }
  | { readonly host: string; readonly port: number };

/** @throws InvalidEnvironmentError that names the variable and each invalid entry */
export function readEgressPolicy(
  env: Pick<Env, 'EGRESS_ALLOW' | 'EGRESS_DENY' | 'EGRESS_PORTS'>,
): EgressPolicy {
  return {
    allow: readEach('EGRESS_ALLOW', env.EGRESS_ALLOW, readPair),
    deny: readEach('EGRESS_DENY', env.EGRESS_DENY, readDenied),
    ports: new Set(readEach('EGRESS_PORTS', env.EGRESS_PORTS, readPort)),
  };
}

function readEach<T>(
  variable: string,
  list: string,
  read: (entry: string) => T | string,
): Exclude<T, string>[] {
  const entries = list
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map((entry) => ({ entry, value: read(entry) }));
  const faults = entries.flatMap(({ entry, value }) =>
    typeof value === 'string' ? [`  ${variable} "${entry}" ${value}`] : [],
  );
  if (faults.length > 0) {
    throw new InvalidEnvironmentError(`The environment is not valid:\n${faults.join('\n')}`);
  }
  return entries.map(({ value }) => value as Exclude<T, string>);
}

const HOST_NAME = /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/;

function readPair(entry: string): AllowedPair | string {
  const parts = /^(?:\[([^\]]+)\]|([^[\]:]+)):(\d+)$/.exec(entry);
  if (!parts) return 'must be CIDR:port or host:port, with an IPv6 range in brackets, such as [fd00::/8]:443';
  const [, bracketed, plain, portText = ''] = parts;
  const port = readPort(portText);
  if (typeof port === 'string') return port;
  const text = bracketed ?? plain ?? '';
  const range = readCidr(text);
  if (range) {
    // An entry that allows everything would disable the guard.
    return range[1] === 0 ? 'must not allow every address' : { range, port };
  }
  const host = text.toLowerCase().replace(/\.$/, '');
  const isName = bracketed === undefined && HOST_NAME.test(host) && canonicalHost(host) === host;
  return isName ? { host, port } : 'is neither an address range nor a host name';
}

function canonicalHost(host: string): string | undefined {
  return URL.parse(`http://${host}/`)?.hostname;
}

function readDenied(entry: string): Cidr | string {
  return readCidr(entry) ?? 'must be an address or a CIDR such as 203.0.113.0/24';
}

function readPort(text: string): number | string {
  const port = Number(text);
  return /^\d{1,5}$/.test(text) && port >= 1 && port <= 65_535
    ? port
    : 'must have a port between 1 and 65535';
}
