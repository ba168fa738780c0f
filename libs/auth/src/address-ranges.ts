import ipaddr from 'ipaddr.js';

/** What is wrong with a range of addresses; undefined for a valid one. */
export function addressRangeFault(text: string): string | undefined {
  if (ipaddr.isValidCIDR(text)) return undefined;
  return 'must be a CIDR such as 203.0.113.0/24 or 2001:db8::/32';
}

/** Whether an address is in one of the ranges. What is no address is in none. An IPv4 address may be written as an IPv6 one. */
export function isInRanges(ranges: readonly string[], address: string | undefined): boolean {
  if (address === undefined || !ipaddr.isValid(address)) return false;
  const ip = ipaddr.process(address);
  return ranges.some((text) => {
    const [range, bits] = ipaddr.parseCIDR(text);
    return ip.kind() === range.kind() && ip.match(range, bits);
  });
}
