import type { Request } from 'express';
import ipaddr from 'ipaddr.js';

/** Half of an IPv6 address: what one customer is given at the least, who may use any address in it. */
const IPV6_PREFIX_BYTES = 8;

/**
 * Whom a request is from, for counting: its IPv4 address, or the /64 of its IPv6 address. `X-Forwarded-For` is believed
 * as far as TRUSTED_PROXIES says, by Express.
 */
export function clientAddress({ ip, socket }: Pick<Request, 'ip' | 'socket'>): string {
  const text = [ip, socket.remoteAddress].find((each) => each !== undefined && ipaddr.isValid(each));
  // Of a connection that is gone already.
  if (text === undefined) return 'unknown';
  const address = ipaddr.process(text);
  if (address.kind() === 'ipv4') return address.toString();
  const prefix = address.toByteArray().slice(0, IPV6_PREFIX_BYTES);
  return `${Buffer.from(prefix).toString('hex')}/64`;
}
