import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** An address range: its first address and the length of its prefix. */
export type Cidr = readonly [Address, number];

/**
 * Reads `10.0.0.0/8`, `fd00::/8` or a single address.
 *
 * Accepts only canonical spellings: ipaddr.js reads `10/8` as 0.0.0.10/8, which nobody means.
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

/** Reads one address as a resolver or `URL.hostname` without brackets spells it. */
export function readAddress(text: string): Address | undefined {
  return isIP(text) === 0 ? undefined : ipaddr.parse(text);
}

export function isWithin(address: Address, [base, prefix]: Cidr): boolean {
  return address.kind() === base.kind() && address.match(base, prefix);
}

const GLOBAL_UNICAST: Cidr = [ipaddr.parse('2000::'), 3];

/** The host agent of Azure, which every Azure machine reaches at an address that looks public. */
const AZURE_HOST: Cidr = [ipaddr.parse('168.63.129.16'), 32];

/**
 * Whether the public internet routes this address.
 *
 * Allows ranges instead of denying them: `range()` alone classifies IPv4-compatible IPv6 (`::a9fe:a9fe`, which is
 * 169.254.169.254) as unicast, so IPv6 must also lie in 2000::/3.
 */
export function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' ? !isWithin(address, AZURE_HOST) : isWithin(address, GLOBAL_UNICAST);
}
