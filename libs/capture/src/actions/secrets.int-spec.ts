import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CaptureFailure, CaptureOptions } from '@app/capture';
import { Capturing, type Captured } from '../../../../test/support/capturing.js';

let capturing: Capturing;

beforeAll(async () => {
  capturing = await Capturing.open();
});
afterAll(() => capturing.close());

const LOGIN = '/actions/login.html';
const SECRET = 'pass & word/42';
const SEED = 'JBSWY3DPEHPK3PXP';

type Steps = CaptureOptions['actions'];

const fill = { type: 'fill', selector: '#password', secret: 'password', timeout_ms: 500 };

async function loggedIn(
  steps: object[],
  more: Partial<CaptureOptions> = {},
  page = LOGIN,
): Promise<Captured> {
  const secrets = { password: SECRET, seed: SEED };
  return capturing.capture(page, { actions: steps as Steps, secrets, wait_until: 'load', ...more });
}

const submitted = [
  fill,
  { type: 'fill', selector: '#code', totp: 'seed' },
  { type: 'click', selector: '#in' },
  { type: 'wait', selector: 'text/Wrong password' },
];

/** The page without any form of the secret, in the page or in an address. */
function expectNoSecret(text: string): void {
  expect(text).not.toContain(SECRET);
  expect(text).not.toContain(encodeURIComponent(SECRET));
  expect(text).not.toContain('pass+%26+word');
  expect(text).not.toContain('pass &amp; word');
}

describe('a secret', () => {
  it('is typed into the field, and the code of an authenticator into its', async () => {
    await loggedIn(submitted);
    const query = new URL(capturing.site.requests(LOGIN).at(-1)?.path ?? '', capturing.site.url).searchParams;
    expect(query.get('password')).toBe(SECRET);
    expect(query.get('code')).toMatch(/^\d{6}$/);
  });

  it('is in no fact, although the page repeats it in its address, its title and its metadata', async () => {
    const { facts } = await loggedIn(submitted, { metadata: true });
    expect(facts.title).toBe('Wrong: [redacted]');
    expect(facts.finalUrl).toContain('password=[redacted]');
    expectNoSecret(JSON.stringify(facts));
  });

  it.each(['html', 'text', 'markdown', 'mhtml'] as const)(
    'is in no file of the format %s',
    async (format) => {
      const { bytes } = await loggedIn(submitted, { format });
      expectNoSecret(Buffer.from(bytes).toString('utf8'));
    },
  );

  it('is drawn as dots wherever the page shows it', async () => {
    const shows = async (selector: string, ...steps: object[]) =>
      capturing.picture(LOGIN, {
        actions: steps as Steps,
        secrets: { password: 'wwww', other: 'iiii' },
        selector,
        wait_until: 'load',
      });
    const into = (secret: string): object => ({ type: 'fill', selector: '#user', secret });
    const [one, other] = [await shows('#user', into('password')), await shows('#user', into('other'))];
    expect(Buffer.compare(Buffer.from(one.captured.bytes), Buffer.from(other.captured.bytes))).toBe(0);
  });

  it('is drawn as dots where a frame of its own origin repeats it', async () => {
    const framed = async (secret: string) =>
      capturing.capture(`${LOGIN}?frame=${LOGIN}`, {
        actions: [
          { type: 'fill', selector: '#password', frame: '#frame', secret },
          { type: 'click', selector: '#in', frame: '#frame' },
          { type: 'wait', selector: 'text/Wrong password', frame: '#frame' },
        ] as unknown as Steps,
        secrets: { password: 'wwww', other: 'iiii' },
        wait_until: 'load',
      });
    const [one, other] = [await framed('password'), await framed('other')];
    expect(Buffer.compare(Buffer.from(one.bytes), Buffer.from(other.bytes))).toBe(0);
  });

  it('is in no picture of a failure whose page takes the dots away', async () => {
    const partial = async (page: string) => {
      const error = await capturing.failure(page, {
        actions: [
          { type: 'fill', selector: '#user', secret: 'password' },
          { type: 'click', selector: '#missing', timeout_ms: 300 },
        ] as Steps,
        secrets: { password: SECRET },
        wait_until: 'load',
        on_failure_picture: true,
      });
      return [error.code, (error as CaptureFailure).partial.picture?.name];
    };
    expect(await partial(LOGIN)).toEqual(['action_failed', 'failure']);
    expect(await partial(`${LOGIN}?undots`)).toEqual(['action_failed', undefined]);
  });

  it('is not typed into a document of another origin, nor below one', async () => {
    const { url } = capturing.site;
    const other = url.replace('127.0.0.1', 'localhost');
    const refusal = async (page: string, ...steps: object[]): Promise<unknown> =>
      loggedIn(steps, {}, page).catch((error: unknown) => (error as CaptureFailure).facts.errors?.[0]?.code);
    expect(await refusal(`${LOGIN}?frame=${other}${LOGIN}`, { ...fill, frame: '#frame' })).toBe(
      'foreign_document',
    );
    expect(await refusal(LOGIN, { type: 'navigate', url: `${other}${LOGIN}` }, fill)).toBe(
      'foreign_document',
    );
    const below = { type: 'navigate', url: `${other}${LOGIN}?frame=${url}${LOGIN}` };
    expect(await refusal(LOGIN, below, { ...fill, frame: '#frame' })).toBe('foreign_document');
    const redirected = `/redirect?status=302&to=${encodeURIComponent(`${other}${LOGIN}`)}`;
    expect(await refusal(redirected, fill)).toBe('foreign_document');
    expect(
      capturing.site
        .requests()
        .every(({ path }) => !path.includes('frame') || !decodeURIComponent(path).includes(SECRET)),
    ).toBe(true);
  });

  it('is typed into a frame of its own origin', async () => {
    const { facts } = await loggedIn([{ ...fill, frame: '#frame' }], {}, `${LOGIN}?frame=${LOGIN}`);
    expect(facts.actions?.[0]?.done).toBe(true);
  });

  it('is in no error, although the page puts it into the name of an element', async () => {
    const steps = [...submitted, { type: 'fill', selector: 'button', value: 'x', timeout_ms: 300 }];
    const error = await capturing.failure(LOGIN, {
      actions: steps as Steps,
      secrets: { password: SECRET, seed: SEED },
      wait_until: 'load',
      on_failure_picture: true,
    });
    expect(error.code).toBe('action_failed');
    const { facts, partial } = error as CaptureFailure;
    expectNoSecret(JSON.stringify([facts, error.message, partial.facts]));
    expect(partial.picture).toMatchObject({
      name: 'failure',
      format: 'png',
      facts: { width: 1280, height: 800 },
    });
  });
});
