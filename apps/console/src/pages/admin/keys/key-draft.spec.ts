import { describe, expect, it } from '@jest/globals';
import { EMPTY_KEY, keyChangeOf, limitsOf, managedBy, newKeyOf, stateOf } from './key-draft.js';

describe('the form of a new key', () => {
  it('requests what is filled in, and nothing else', () => {
    expect(newKeyOf({ ...EMPTY_KEY, accountId: 'a' })).toEqual({
      account_id: 'a',
      scopes: ['capture', 'read', 'links'],
    });
    const filled = {
      accountId: 'a',
      name: ' shop ',
      scopes: ['links', 'capture'],
      expires: '2027-06-30T12:00',
      hosts: 'example.com\n*.example.com\n',
      addresses: '203.0.113.0/24, 2001:db8::/32',
    };
    expect(newKeyOf(filled)).toEqual({
      account_id: 'a',
      name: 'shop',
      scopes: ['capture', 'links'],
      expires_at: expect.stringMatching(/^2027-06-\d\dT\d\d:\d\d:00Z$/),
      allowed_hosts: ['example.com', '*.example.com'],
      allowed_ips: ['203.0.113.0/24', '2001:db8::/32'],
    });
  });

  it('asks for no scope that was not chosen', () => {
    expect(newKeyOf({ ...EMPTY_KEY, scopes: [] }).scopes).toEqual([]);
  });
});

describe('the form of the limits of a key', () => {
  const before = limitsOf({
    expires_at: '2027-06-30T12:00:30Z',
    allowed_hosts: ['example.com', '*.example.com'],
    allowed_ips: null,
  });

  it('shows them, and requests what was changed', () => {
    expect(before).toMatchObject({ hosts: 'example.com\n*.example.com', addresses: '' });
    expect(keyChangeOf(before, before)).toEqual({});
    expect(keyChangeOf(before, { ...before, addresses: '203.0.113.0/24' })).toEqual({
      allowed_ips: ['203.0.113.0/24'],
    });
  });

  it('requests null for what was emptied', () => {
    expect(keyChangeOf(before, { expires: '', hosts: ' \n', addresses: '' })).toEqual({
      expires_at: null,
      allowed_hosts: null,
    });
  });
});

describe('the limits and the secret of a key', () => {
  it('are changed here, unless it manages others or is of a person', () => {
    expect(managedBy({ scopes: ['capture', 'read'], is_single_sign_on: false })).toBeNull();
    expect(managedBy({ scopes: ['admin'], is_single_sign_on: false })).toContain('npm run keys');
    expect(managedBy({ scopes: ['read'], is_single_sign_on: true })).toContain('single sign-on');
  });
});

describe('the state of a key', () => {
  it('is that of its revocation and its expiry', () => {
    const now = Date.parse('2026-11-22T12:00:00Z');
    const expired = '2026-11-22T12:00:00Z';
    expect(stateOf({ revoked_at: null, expires_at: null }, now)).toBe('active');
    expect(stateOf({ revoked_at: null, expires_at: '2026-11-22T12:00:01Z' }, now)).toBe('active');
    expect(stateOf({ revoked_at: null, expires_at: expired }, now)).toBe('expired');
    expect(stateOf({ revoked_at: expired, expires_at: expired }, now)).toBe('revoked');
  });
});
