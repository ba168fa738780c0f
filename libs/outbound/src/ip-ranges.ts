import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** An address range: its first address and the length of its prefix. */
export type Cidr = readonly [Address, number];

/**
 * Reads `10.0.0.0/8`, `fd00::/8` or a single address.
 *
 * Only canonical spellings: ipaddr.js alone takes `10/8` for 0.0.0.10/8, which is not what anybody means.
 */
export function readCidr(text: string): Cidr | undefined {
  const [address = '', length] = text.split('/', 2);
  const family = isIP(address);
  if (family === 0 || address.includes('%')) return undefined;
  const bits = family === 4 ? 32 : 128;
  if (text.split('/').length > 2 || (length !== undefined && !/^\d{1,3}$/.test(length))) return undefined;
  const prefix = length === undefined ? bits : Number(length);
  return prefix > bits ? undefined : [ipaddr.parse(address), prefix];
}

/** Reads one address in the spelling of a resolver or of `URL.hostname` without its brackets. */
export function readAddress(text: string): Address | undefined {
  return isIP(text) === 0 ? undefined : ipaddr.parse(text);
}

export function isWithin(address: Address, [base, prefix]: Cidr): boolean {
  return address.kind() === base.kind() && address.match(base, prefix);
}

const GLOBAL_UNICAST: Cidr = [ipaddr.parse('2000::'), 3];

/** Azure's host agent, reachable from every one of its machines at an address that looks public. */
const AZURE_HOST: Cidr = [ipaddr.parse('168.63.129.16'), 32];

/**
 * Whether the public internet routes this address.
 *
 * A list of what is allowed, not of what is forbidden: `range()` alone takes IPv4-compatible IPv6 (`::a9fe:a9fe`,
 * which is 169.254.169.254) for unicast, so IPv6 must also lie in 2000::/3.
 */
export function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' ? !isWithin(address, AZURE_HOST) : isWithin(address, GLOBAL_UNICAST);
}
