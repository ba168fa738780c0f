import { describe, expect, it } from '@jest/globals';
import { splitSecrets, statedOptions } from './secret-options.js';

describe(splitSecrets.name, () => {
  it('takes every secret option out, and leaves word that it was there', () => {
    const secrets = {
      headers: { Authorization: 'Bearer x' },
      cookies: [{ name: 'a', value: 'b' }],
      basic_auth_username: 'ada',
      basic_auth_password: 'pw',
    };
    expect(splitSecrets({ url: 'https://example.com/', ...secrets, css: 'p {}' })).toEqual({
      open: {
        url: 'https://example.com/',
        headers: '[redacted]',
        cookies: '[redacted]',
        basic_auth_username: '[redacted]',
        basic_auth_password: '[redacted]',
        css: 'p {}',
      },
      secrets,
    });
  });

  it('has nothing to encrypt when no secret is given', () => {
    const given = { url: 'https://example.com/', bypass_csp: true };
    expect(splitSecrets(given)).toEqual({ open: given, secrets: null });
  });
});

describe(statedOptions.name, () => {
  it('tells what is still known of stored options, and which secrets are gone', () => {
    const given = { url: 'https://example.com/', headers: { a: 'b' }, basic_auth_username: 'ada' };
    expect(statedOptions(splitSecrets(given).open)).toEqual({
      stated: { url: 'https://example.com/' },
      gone: ['headers', 'basic_auth_username'],
    });
  });

  it('takes a secret that was lifted for no secret', () => {
    expect(statedOptions({ headers: null, cookies: '[redacted]' })).toEqual({
      stated: { headers: null },
      gone: ['cookies'],
    });
  });

  it('takes no other text for a secret', () => {
    expect(statedOptions({ css: '[redacted]' })).toEqual({ stated: { css: '[redacted]' }, gone: [] });
  });
});
