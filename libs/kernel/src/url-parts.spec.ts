import { describe, expect, it } from '@jest/globals';
import { hostOf, portOf } from './url-parts.js';

describe('the parts of a URL', () => {
  it.each([
    ['http://example.com/', 'example.com', 80],
    ['https://example.com/', 'example.com', 443],
    ['wss://example.com/', 'example.com', 443],
    ['https://example.com:8443/', 'example.com', 8443],
    ['http://[2001:db8::1]/', '2001:db8::1', 80],
    ['redis://queue/0', 'queue', 6379],
    ['rediss://[::1]:6380/0', '::1', 6380],
    ['ftp://example.com/', 'example.com', 0],
  ])('%s is dialled as %s on %i', (text, host, port) => {
    const url = new URL(text);
    expect(hostOf(url)).toBe(host);
    expect(portOf(url)).toBe(port);
  });
});
