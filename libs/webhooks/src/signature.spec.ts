import { describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { keyOf, newSecret, signatureHeaders } from './signature.js';

const MESSAGE = {
  id: '0190b6f4-0000-7000-8000-000000000001',
  body: '{"type":"capture.succeeded","ü":"\\u0000"}',
};

describe(signatureHeaders.name, () => {
  it('produces what the published library verifies', () => {
    const secret = newSecret();
    const headers = signatureHeaders(MESSAGE, new Date(), [secret]);
    expect(new Webhook(secret).verify(MESSAGE.body, headers)).toEqual(JSON.parse(MESSAGE.body));
    expect(headers['webhook-id']).toBe(MESSAGE.id);
  });

  it('agrees with the published library on a known message', () => {
    const secret = newSecret();
    const at = new Date(1_700_000_000_999);
    const headers = signatureHeaders(MESSAGE, at, [secret]);
    expect(headers['webhook-timestamp']).toBe('1700000000');
    expect(headers['webhook-signature']).toBe(new Webhook(secret).sign(MESSAGE.id, at, MESSAGE.body));
  });

  it('signs with each secret, so that any of them verifies', () => {
    const [current, previous] = [newSecret(), newSecret()];
    const headers = signatureHeaders(MESSAGE, new Date(), [current, previous]);
    expect(headers['webhook-signature'].split(' ')).toHaveLength(2);
    for (const secret of [current, previous]) new Webhook(secret).verify(MESSAGE.body, headers);
    expect(() => new Webhook(newSecret()).verify(MESSAGE.body, headers)).toThrow();
  });

  it('fails verification of another body, another id or an old timestamp', () => {
    const secret = newSecret();
    const headers = signatureHeaders(MESSAGE, new Date(), [secret]);
    const receiver = new Webhook(secret);
    expect(() => receiver.verify(`${MESSAGE.body} `, headers)).toThrow();
    expect(() => receiver.verify(MESSAGE.body, { ...headers, 'webhook-id': 'other' })).toThrow();
    const old = signatureHeaders(MESSAGE, new Date(Date.now() - 3_600_000), [secret]);
    expect(() => receiver.verify(MESSAGE.body, old)).toThrow();
  });
});

describe(newSecret.name, () => {
  it('returns whsec_ and 24 to 64 random bytes', () => {
    const secret = newSecret();
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]+={0,2}$/);
    expect(keyOf(secret).length).toBeGreaterThanOrEqual(24);
    expect(keyOf(secret).length).toBeLessThanOrEqual(64);
    expect(newSecret()).not.toBe(secret);
  });
});
