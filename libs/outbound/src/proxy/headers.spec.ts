import { describe, expect, it } from '@jest/globals';
import { forwardedHeaders } from './headers.js';

describe(forwardedHeaders, () => {
  it('leaves out the fields of the connection, and those that Connection names, in any case', () => {
    const raw = [
      'Date',
      'now',
      'KEEP-Alive',
      'timeout=5',
      'Connection',
      'close, X-Mine ,te',
      'x-mine',
      '1',
      'X-Page',
      '2',
    ];
    expect(forwardedHeaders(raw)).toEqual(['Date', 'now', 'X-Page', '2']);
  });

  it.each([
    'Access-Control-Allow-Origin',
    'Access-Control-Allow-Credentials',
    'Content-Length',
    'Content-Type',
    'Content-Encoding',
    'Content-Range',
    'Content-Disposition',
    'Content-Security-Policy',
    'Accept-Ranges',
    'Authorization',
    'Cache-Control',
    'Clear-Site-Data',
    'Cookie',
    'Cross-Origin-Embedder-Policy',
    'Cross-Origin-Opener-Policy',
    'Cross-Origin-Resource-Policy',
    'Expires',
    'Host',
    'Location',
    'Origin',
    'Pragma',
    'Range',
    'Referer',
    'Referrer-Policy',
    'Set-Cookie',
    'Vary',
    'WWW-Authenticate',
    'X-Content-Type-Options',
    'X-Frame-Options',
  ])('keeps %s, which is for every recipient, although Connection names it', (name) => {
    expect(forwardedHeaders(['Connection', `close, ${name}`, name, 'value'])).toEqual([name, 'value']);
  });
});
