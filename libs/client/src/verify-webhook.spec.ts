import { describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { CaptureClient, CaptureError, verifyWebhook } from './index.js';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const OTHER = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
const BODY = JSON.stringify({
  type: 'batch.completed',
  timestamp: '2026-11-22T00:00:00.000Z',
  data: { id: 'é' },
});

/** The headers of a webhook, as the reference implementation of Standard Webhooks signs it. */
const signed = (secrets = [SECRET], ageS = 0) => {
  const at = new Date(Date.now() - ageS * 1_000);
  return {
    'webhook-id': 'msg-1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign('msg-1', at, BODY)).join(' '),
  };
};

const refusal = async (verifying: Promise<unknown>): Promise<string> => {
  const error: unknown = await verifying.catch((reason: unknown) => reason);
  if (error instanceof CaptureError && error.code === 'webhook_invalid') return error.message;
  throw new Error(`It was not refused: ${String(error)}`);
};

describe(verifyWebhook.name, () => {
  it.each([
    ['text', BODY],
    ['bytes', new TextEncoder().encode(BODY)],
    ['a part of a buffer', Buffer.from(`--${BODY}--`).subarray(2, -2)],
    ['an array buffer', new TextEncoder().encode(BODY).buffer],
  ])('returns the event of %s', async (_, body) => {
    expect(await verifyWebhook(body, signed(), SECRET)).toEqual(JSON.parse(BODY));
  });

  it.each([
    ['of fetch', new Headers(signed())],
    ['of Node', { ...signed(), host: 'example.com', via: ['a', 'b'], accept: undefined }],
    [
      'in capitals',
      Object.fromEntries(Object.entries(signed()).map(([name, value]) => [name.toUpperCase(), value])),
    ],
    ['of another implementation of fetch', { get: (name: string) => new Headers(signed()).get(name) }],
  ])('takes headers %s', async (_, headers) => {
    expect(await verifyWebhook(BODY, headers, SECRET)).toHaveProperty('type', 'batch.completed');
  });

  it.each([
    ['a parsed body', JSON.parse(BODY) as string, SECRET, /body/],
    ['no secret', BODY, [], /secret/],
    ['a tolerance that is no number', BODY, { secret: SECRET, toleranceS: NaN }, /toleranceS/],
  ])('throws a TypeError for %s', async (_, body, secret, text) => {
    const verifying = verifyWebhook(body, signed([SECRET], 100_000), secret);
    await expect(verifying).rejects.toThrow(TypeError);
    await expect(verifying).rejects.toThrow(text);
  });

  it('is a method of the client', async () => {
    const { webhooks } = new CaptureClient({ baseUrl: 'https://capture.example.com' });
    expect(await webhooks.verify(BODY, signed(), { secret: SECRET })).toHaveProperty('data.id', 'é');
  });

  it('returns what the reference implementation does', async () => {
    const theirs = new Webhook(SECRET).verify(BODY, signed());
    expect(await verifyWebhook(BODY, signed(), SECRET)).toEqual(theirs);
  });

  it('accepts either secret while one replaces the other', async () => {
    expect(await verifyWebhook(BODY, signed([OTHER, SECRET]), SECRET)).toHaveProperty('data');
    expect(await verifyWebhook(BODY, signed([SECRET]), [OTHER, SECRET])).toHaveProperty('data');
  });

  it.each([
    ['another secret', BODY, signed(), OTHER, /no signature fits/],
    ['another body', BODY.replace('é', 'e'), signed(), SECRET, /no signature fits/],
    ['another id', BODY, { ...signed(), 'webhook-id': 'msg-2' }, SECRET, /no signature fits/],
    [
      'another version',
      BODY,
      { ...signed(), 'webhook-signature': 'v2,AAAA v1,%' },
      SECRET,
      /no signature fits/,
    ],
    ['an old time', BODY, signed([SECRET], 301), SECRET, /too old/],
    ['a time to come', BODY, signed([SECRET], -310), SECRET, /clock/],
    ['no time', BODY, { ...signed(), 'webhook-timestamp': 'now' }, SECRET, /not a time/],
    [
      'a header that is missing',
      BODY,
      { ...signed(), 'webhook-signature': undefined },
      SECRET,
      /webhook-signature is missing/,
    ],
  ])('refuses %s', async (_, body, headers, secret, text) => {
    expect(await refusal(verifyWebhook(body, headers, secret))).toMatch(text);
  });

  it('tolerates what the caller says', async () => {
    const old = signed([SECRET], 3_000);
    expect(await verifyWebhook(BODY, old, { secret: [SECRET], toleranceS: 3_600 })).toHaveProperty('data');
    await refusal(verifyWebhook(BODY, signed([SECRET], 30), { secret: SECRET, toleranceS: 10 }));
  });

  it.each(['', 'whsec_', 'whsec_%%%', 'a secret'])('refuses the secret %j', async (secret) => {
    await expect(verifyWebhook(BODY, signed(), secret)).rejects.toThrow(TypeError);
  });
});
