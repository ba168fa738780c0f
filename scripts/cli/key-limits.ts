import { addressRangeFault, SCOPES, type ApiKey, type KeySettings, type Scope } from '@app/auth';
import { hostPatternFault } from '@app/kernel';
import { oneOf, UsageError } from './command.js';

/** The options that say what a new key may do, for parseArgs. */
export const LIMIT_OPTIONS = {
  scopes: { type: 'string' },
  'expires-at': { type: 'string' },
  'allowed-hosts': { type: 'string' },
  'allowed-ips': { type: 'string' },
} as const;
type LimitOption = keyof typeof LIMIT_OPTIONS;
export const LIMIT_NAMES = Object.keys(LIMIT_OPTIONS) as LimitOption[];

/** What these options say of a key; lists are separated by commas. */
export function readKeySettings(options: Partial<Record<LimitOption, string>>): KeySettings {
  const { scopes, 'expires-at': expiresAt, 'allowed-hosts': hosts, 'allowed-ips': ips } = options;
  return {
    ...(scopes !== undefined && { scopes: readScopes(scopes) }),
    ...(expiresAt !== undefined && { expiresAt: readTime(expiresAt) }),
    ...(hosts !== undefined && { allowedHosts: readList('--allowed-hosts', hosts, hostPatternFault) }),
    ...(ips !== undefined && { allowedIps: readList('--allowed-ips', ips, addressRangeFault) }),
  };
}

/** What a key may do, where it differs from a key without limits. */
export function limitsText(key: ReturnType<typeof limitsJson>): string {
  const { scopes, expires_at: expiresAt, allowed_hosts: hosts, allowed_ips: ips } = key;
  return [
    scopes.join(','),
    ...(expiresAt === null ? [] : [`until ${expiresAt}`]),
    ...(hosts ? [`hosts ${hosts.join(',')}`] : []),
    ...(ips ? [`from ${ips.join(',')}`] : []),
  ].join('; ');
}

/** What a key may do, for programs. */
export function limitsJson({ scopes, expiresAt, allowedHosts, allowedIps, lastUsedOn }: ApiKey) {
  return {
    scopes,
    expires_at: expiresAt?.toISOString() ?? null,
    allowed_hosts: allowedHosts,
    allowed_ips: allowedIps,
    last_used_on: lastUsedOn,
  };
}

function readScopes(text: string): Scope[] {
  return [...new Set(text.split(',').map((word) => oneOf('--scopes', word, SCOPES)))];
}

function readTime(text: string): Date {
  const time = new Date(text);
  if (time.getTime() > Date.now()) return time;
  throw new UsageError(
    `--expires-at must be a later time such as 2027-06-30T00:00:00Z; it is ${JSON.stringify(text.slice(0, 100))}`,
  );
}

function readList(option: string, text: string, faultOf: (item: string) => string | undefined): string[] {
  const items = text.split(',');
  for (const item of items) {
    const fault = faultOf(item);
    if (fault !== undefined)
      throw new UsageError(`${option} ${fault}; it is ${JSON.stringify(item.slice(0, 100))}`);
  }
  return items;
}
