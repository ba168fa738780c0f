import { describe, expect, it } from '@jest/globals';
import { grantsOf, parseGroupGrants } from './group-grants.js';

describe('the groups of single sign-on', () => {
  it('give an account and scopes each', () => {
    expect(parseGroupGrants('admins:default:admin+read, cn=a%2Cou=b%3A:my%20team:capture,')).toEqual([
      { group: 'admins', account: 'default', scopes: ['admin', 'read'] },
      { group: 'cn=a,ou=b:', account: 'my team', scopes: ['capture'] },
    ]);
  });

  it.each([
    'admins',
    'admins:default',
    ':default:read',
    'a::read',
    'a:b:',
    'a:b:read+root',
    'a:b:c:read',
    '%:b:read',
  ])('are refused when they are not in the form: %s', (text) => {
    expect(() => parseGroupGrants(text)).toThrow('must be a list of group:account:scopes');
  });

  it('give the scopes of all groups of a person, by account', () => {
    const grants = parseGroupGrants('a:one:read,b:one:capture+read,b:two:links,c:two:admin');
    expect([...grantsOf(grants, ['a', 'b', 'x'])]).toEqual([
      ['one', ['capture', 'read']],
      ['two', ['links']],
    ]);
    expect([...grantsOf(grants, ['A', 'a '])]).toEqual([]);
  });
});
