import type { Request } from 'express';
import ipaddr from 'ipaddr.js';

/** A /64 is the least that one customer is assigned, and the customer may use any address in it. */
const IPV6_PREFIX_BYTES = 8;

/**
 * Identifies the sender of a request for counting: its IPv4 address, or the /64 of its IPv6 address. Express trusts
 * `X-Forwarded-For` as far as TRUSTED_PROXIES says.
 */
export function clientAddress({ ip, socket }: Pick<Request, 'ip' | 'socket'>): string {
  const text = [ip, socket.remoteAddress].find((each) => each !== undefined && ipaddr.isValid(each));
  // The connection is closed already.
  if (text === undefined) return 'unknown';
  const address = ipaddr.process(text);
  if (address.kind() === 'ipv4') return address.toString();
  const prefix = address.toByteArray().slice(0, IPV6_PREFIX_BYTES);
  return `${Buffer.from(prefix).toString('hex')}/64`;
}
