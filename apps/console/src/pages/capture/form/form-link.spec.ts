import { describe, expect, it } from '@jest/globals';
import { againPath } from '../../../capture-record/again-path.js';
import { formLink, linkedForm, optionsIn } from './form-link.js';

const HOSTILE = {
  url: 'https://example.com/?a=1&b=%20#x',
  css: `"'\\\n</script> + é \u2028 😀`,
  full_page: true,
};

function opened(address: string) {
  const { search, hash } = new URL(address, 'http://service.test');
  return linkedForm(optionsIn(search, hash) ?? '');
}

describe('a link to the form', () => {
  it('restores every option, whatever its text', () => {
    expect(opened(formLink('http://service.test', HOSTILE))).toEqual({ values: HOSTILE, missing: [] });
    expect(opened(againPath(HOSTILE))).toEqual({ values: HOSTILE, missing: [] });
  });

  it('has no secrets', () => {
    const link = formLink('http://service.test', {
      url: 'u',
      headers: { a: 'b' },
      basic_auth_password: 'pass',
    });
    expect(opened(link).values).toEqual({ url: 'u' });
    expect(link).not.toContain('pass');
  });

  it('of a record leaves out what the record hides or cuts, and says so', () => {
    const html = `${'x'.repeat(1_000)}…`;
    const known = opened(againPath({ html, headers: '[redacted]', css: '[redacted]' }));
    expect(known).toEqual({ values: { css: '[redacted]' }, missing: ['html', 'headers'] });
  });

  it('of another version leaves out what this one does not know, and says so', () => {
    const { values, fault } = opened(againPath({ later_option: 1, full_page: true }));
    expect(values).toEqual({ full_page: true });
    expect(fault).toBe('The link has unknown options: later_option.');
  });

  it('that was damaged says what is wrong', () => {
    expect(linkedForm('{"url":').fault).toBe('The link is damaged: its options are not JSON.');
    expect(optionsIn('?job=1', '')).toBeUndefined();
  });
});
