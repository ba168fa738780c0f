import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { SecretBox } from './secret-box.js';

const key = (): string => randomBytes(32).toString('base64');

describe(SecretBox.name, () => {
  const secrets = { headers: { Authorization: 'Bearer hunter2' }, basic_auth_password: 'pässword' };

  it('opens what it has sealed', () => {
    const box = new SecretBox(key());
    expect(box.open(box.seal(secrets, 'job-1'), 'job-1')).toEqual(secrets);
  });

  it('seals without readable text, and never to the same bytes twice', () => {
    const box = new SecretBox(key());
    const sealed = box.seal(secrets, 'job-1');
    expect(sealed.toString('latin1')).not.toContain('hunter2');
    expect(box.seal(secrets, 'job-1')).not.toEqual(sealed);
  });

  it('does not open what was sealed for another job or with another key, or was changed', () => {
    const box = new SecretBox(key());
    const sealed = box.seal(secrets, 'job-1');
    expect(() => box.open(sealed, 'job-2')).toThrow();
    expect(() => new SecretBox(key()).open(sealed, 'job-1')).toThrow();
    sealed[sealed.length - 1] = (sealed.at(-1) ?? 0) ^ 1;
    expect(() => box.open(sealed, 'job-1')).toThrow();
  });

  it('makes the same digest of the same text with the same key only', () => {
    const own = key();
    const digest = new SecretBox(own).digest('hunter2');
    expect(digest).toHaveLength(32);
    expect(new SecretBox(own).digest('hunter2')).toEqual(digest);
    expect(new SecretBox(own).digest('hunter3')).not.toEqual(digest);
    expect(new SecretBox(key()).digest('hunter2')).not.toEqual(digest);
  });
});
