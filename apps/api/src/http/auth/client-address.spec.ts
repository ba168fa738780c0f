import { describe, expect, it } from '@jest/globals';
import { clientAddress } from './client-address.js';

const addressOf = (ip: string | undefined, remoteAddress = '192.0.2.9') =>
  clientAddress({ ip, socket: { remoteAddress } } as Parameters<typeof clientAddress>[0]);

describe(clientAddress, () => {
  it('is the whole IPv4 address, however it is written', () => {
    expect(addressOf('203.0.113.7')).toBe('203.0.113.7');
    expect(addressOf('::ffff:203.0.113.7')).toBe('203.0.113.7');
    expect(addressOf('::ffff:cb00:7107')).toBe('203.0.113.7');
  });

  it('is the /64 of an IPv6 address', () => {
    expect(addressOf('2001:db8:1:2::1')).toBe(addressOf('2001:db8:1:2:ffff:ffff:ffff:ffff'));
    expect(addressOf('2001:db8:1:2::1')).not.toBe(addressOf('2001:db8:1:3::1'));
    expect(addressOf('fe80::1%eth0')).toBe(addressOf('fe80::2'));
  });

  it.each(['unknown', '', '203.0.113.7:4711', '1.2.3.4, 5.6.7.8', undefined])(
    'is the address of the connection when the proxy reports %j',
    (ip) => {
      expect(addressOf(ip)).toBe('192.0.2.9');
    },
  );
});
