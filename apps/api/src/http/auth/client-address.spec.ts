import { describe, expect, it } from '@jest/globals';
import { clientAddress } from './client-address.js';

const of = (ip: string | undefined, remoteAddress = '192.0.2.9') =>
  clientAddress({ ip, socket: { remoteAddress } } as Parameters<typeof clientAddress>[0]);

describe(clientAddress, () => {
  it('is the whole IPv4 address, however it is written', () => {
    expect(of('203.0.113.7')).toBe('203.0.113.7');
    expect(of('::ffff:203.0.113.7')).toBe('203.0.113.7');
    expect(of('::ffff:cb00:7107')).toBe('203.0.113.7');
  });

  it('is the /64 of an IPv6 address', () => {
    expect(of('2001:db8:1:2::1')).toBe(of('2001:db8:1:2:ffff:ffff:ffff:ffff'));
    expect(of('2001:db8:1:2::1')).not.toBe(of('2001:db8:1:3::1'));
    expect(of('fe80::1%eth0')).toBe(of('fe80::2'));
  });

  it.each(['unknown', '', '203.0.113.7:4711', '1.2.3.4, 5.6.7.8', undefined])(
    'is the address of the connection when the proxy reports %j',
    (ip) => {
      expect(of(ip)).toBe('192.0.2.9');
    },
  );
});
