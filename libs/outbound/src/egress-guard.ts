import { AppError, hostOf, portOf } from '@app/kernel';
import type { EgressHints, Refusal } from './egress-hints.js';
import type { EgressPolicy } from './egress-policy.js';
import { isPublic, isWithin, readAddress, type Address } from './ip-ranges.js';

/** Zones of internal networks: their names never count as public, whatever they resolve to. */
const INTERNAL_ZONES = [
  'localhost',
  'localdomain',
  'local',
  'internal',
  'svc',
  'lan',
  'home.arpa',
  'intranet',
  'private',
  'corp',
  'home',
];

/** Cloud metadata services with names in public zones. */
const METADATA_HOSTS = new Set(['metadata.goog', 'metadata.azure.com', 'metadata.tencentyun.com']);

const SCHEMES: readonly string[] = ['http:', 'https:'];

/** What is wrong with an address of a caller; it reveals nothing about the network of the service. */
export interface AddressFault {
  readonly code: 'not_public' | 'port_not_allowed';
  readonly detail: string;
}

const NOT_PUBLIC: AddressFault = { code: 'not_public', detail: 'must be a public web address' };

/**
 * Decides which addresses the service may reach on behalf of a caller: public ones on web ports, and the pairs that the
 * operator allows. It resolves nothing, so code that dials must also check each resolved address.
 */
export class EgressGuard {
  constructor(
    private readonly policy: EgressPolicy,
    private readonly hints?: Pick<EgressHints, 'refused'>,
  ) {}

  /**
   * Checks a URL before anything is resolved: literal addresses in every spelling (which the WHATWG parser has made
   * canonical), names of internal networks, ports.
   *
   * @throws AppError `target_forbidden`; the reason is in its cause, which is only logged, unless it is the port
   */
  admit(url: URL): void {
    const cause = this.refusalOf(url);
    if (cause === undefined) return;
    this.hints?.refused(url, cause);
    const detail = cause === 'port' ? `The address ${this.portFault(url).detail}.` : undefined;
    throw new AppError('target_forbidden', { detail, cause });
  }

  /** Like `admit`, but returns the fault of the field that contains the URL; undefined when it is allowed. */
  addressFault(url: URL): AddressFault | undefined {
    const refusal = this.refusalOf(url);
    if (refusal === undefined) return undefined;
    this.hints?.refused(url, refusal);
    return refusal === 'port' ? this.portFault(url) : NOT_PUBLIC;
  }

  /** Whether a host may be connected to on this port, before it is resolved; `admit` does this for a URL. */
  isAllowedTarget(host: string, port: number): boolean {
    return this.faultOf(canonicalName(host), port) === undefined;
  }

  /** Whether this address, to which `host` resolved, may be connected to on this port. */
  isAllowedAddress(ip: string, port: number, host?: string): boolean {
    const address = readAddress(ip);
    if (!address || this.policy.deny.some((range) => isWithin(address, range))) return false;
    if (host !== undefined && this.isAllowedHost(canonicalName(host), port)) return true;
    return this.isAllowedRange(address, port) || (this.policy.ports.has(port) && isPublic(address));
  }

  /** Whether the operator has allowed exactly this host and port, by name or by address. */
  isOpened(url: URL): boolean {
    const name = canonicalName(url.hostname);
    const port = portOf(url);
    const address = readAddress(name);
    return this.isAllowedHost(name, port) || (address !== undefined && this.isAllowedRange(address, port));
  }

  private portFault(url: URL): AddressFault {
    const ports = [...this.policy.ports].sort((a, b) => a - b).join(', ');
    const detail = `must have one of the ports that are allowed (${ports}), not ${portOf(url)}`;
    return { code: 'port_not_allowed', detail };
  }

  private refusalOf(url: URL): Refusal | undefined {
    if (!SCHEMES.includes(url.protocol)) return 'scheme';
    return this.faultOf(canonicalName(url.hostname), portOf(url));
  }

  private faultOf(name: string, port: number): Refusal | undefined {
    const address = readAddress(name);
    if (address) {
      if (this.isAllowedAddress(name, port)) return undefined;
      const isReachable = [...this.policy.ports].some((each) => this.isAllowedAddress(name, each));
      return isReachable && isPublic(address) ? 'port' : 'address';
    }
    if (this.isAllowedHost(name, port)) return undefined;
    if (isInternalName(name)) return 'internal name';
    return this.policy.ports.has(port) ? undefined : 'port';
  }

  private isAllowedRange(address: Address, port: number): boolean {
    return this.policy.allow.some(
      (pair) => 'range' in pair && pair.port === port && isWithin(address, pair.range),
    );
  }

  private isAllowedHost(name: string, port: number): boolean {
    return this.policy.allow.some((pair) => 'host' in pair && pair.host === name && pair.port === port);
  }
}

/** The host of a URL in lower case, without the brackets of IPv6 and the dot of the DNS root. */
function canonicalName(host: string): string {
  return hostOf({ hostname: host.toLowerCase() }).replace(/\.$/, '');
}

function isInternalName(name: string): boolean {
  return (
    !name.includes('.') ||
    METADATA_HOSTS.has(name) ||
    INTERNAL_ZONES.some((zone) => name === zone || name.endsWith(`.${zone}`))
  );
}
