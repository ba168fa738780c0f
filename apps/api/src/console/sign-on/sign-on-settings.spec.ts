import { describe, expect, it } from '@jest/globals';
import { loadEnv } from '@app/config';
import { SignOnSettings } from './sign-on-settings.js';

const SET = {
  OIDC_ISSUER: 'https://login.example.com',
  OIDC_CLIENT_ID: 'capture',
  OIDC_GROUPS: 'admins:default:admin+read',
};

describe(SignOnSettings.name, () => {
  it('reads an issuer, a client and groups', () => {
    const settings = new SignOnSettings(loadEnv(SET));
    expect(settings.groups).toEqual([{ group: 'admins', account: 'default', scopes: ['admin', 'read'] }]);
    expect([settings.issuer.href, settings.clientSecret]).toEqual(['https://login.example.com/', undefined]);
  });

  it.each([
    [{ OIDC_GROUPS: '' }, 'OIDC_GROUPS is missing'],
    [{ OIDC_GROUPS: 'admins:default:root' }, 'a scope is one of capture, read, links, admin'],
    [{ OIDC_CLIENT_ID: '' }, 'OIDC_CLIENT_ID is missing'],
    [{ OIDC_SCOPES: 'profile' }, 'OIDC_SCOPES must contain openid'],
    [{ OIDC_ISSUER: 'http://login.example.com' }, 'OIDC_ISSUER must be an https URL'],
    [{ OIDC_ISSUER: 'http://localhost.example.com' }, 'OIDC_ISSUER must be an https URL'],
  ])('stops the start with %j', (setting, message) => {
    expect(() => new SignOnSettings(loadEnv({ ...SET, ...setting }))).toThrow(message);
  });

  it('accepts http for a provider on this machine', () => {
    for (const issuer of ['http://127.0.0.1:8080/realms/a', 'http://localhost', 'http://[::1]:8080']) {
      expect(new SignOnSettings(loadEnv({ ...SET, OIDC_ISSUER: issuer })).issuer.protocol).toBe('http:');
    }
  });
});
