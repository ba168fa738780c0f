import { describe, expect, it } from '@jest/globals';
import { splitSecrets, statedOptions } from './secret-options.js';

describe(splitSecrets.name, () => {
  it('replaces every secret option by a placeholder', () => {
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
  it('separates the known stored options from the names of the secrets', () => {
    const given = { url: 'https://example.com/', headers: { a: 'b' }, basic_auth_username: 'ada' };
    expect(statedOptions(splitSecrets(given).open)).toEqual({
      stated: { url: 'https://example.com/' },
      gone: ['headers', 'basic_auth_username'],
    });
  });

  it('does not treat an unset secret as a secret', () => {
    expect(statedOptions({ headers: null, cookies: '[redacted]' })).toEqual({
      stated: { headers: null },
      gone: ['cookies'],
    });
  });

  it('treats no other text as a secret', () => {
    expect(statedOptions({ css: '[redacted]' })).toEqual({ stated: { css: '[redacted]' }, gone: [] });
  });
});
