import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Capturing, Picture } from '../../../../test/support/capturing.js';
import type { CaptureOptions } from '../request/capture-options.js';
import type { ReadinessReport } from '../record/readiness.js';

const RED = 'ff0000';
const GREEN = '00ff00';
/** Enough for every page here that becomes ready, on a busy machine as well. */
const AMPLE_MS = 15_000;
/** Longer than any wait for a page that is ready at once. */
const AT_ONCE_MS = 3_000;
/** What has not come after this time hangs. */
const HANGS_MS = 3_000;

let capturing: Capturing;
beforeAll(async () => {
  capturing = await Capturing.open(3);
});
afterAll(() => capturing.close());

interface Seen {
  readonly colour: string;
  readonly by: ReadinessReport['by'];
  readonly complete: boolean;
  readonly readiness: ReadinessReport;
}

/** What a capture of a page of test/site/ready, or of the `html` of the options, shows and reports. */
async function see(page: string | null, options: Partial<CaptureOptions> = {}): Promise<Seen> {
  const ours = { wait_until: 'auto', ready_timeout_ms: AMPLE_MS, base_url: capturing.site.url } as const;
  const { base_url, ...rest } = { ...ours, ...options };
  const captured = await capturing.capture(
    page === null ? null : `/ready/${page}`,
    page === null ? { base_url, ...rest } : rest,
  );
  const { complete, readiness } = captured.facts;
  if (readiness === null) throw new Error('There is no report.');
  return {
    colour: (await Picture.fromCapture(captured)).colourAt(1000, 700),
    by: readiness.by,
    complete,
    readiness,
  };
}

const READY = { colour: GREEN, by: 'quiet', complete: true } as const;

describe('a page that is complete at its load', () => {
  it.each(['static.html', 'clock.html', 'animated.html?by=css'])('is ready at once: %s', async (page) => {
    const seen = await see(page);
    expect(seen).toMatchObject({ ...READY, readiness: { pending: [], fonts: 'loaded' } });
    expect(seen.readiness.waited_ms).toBeLessThan(AT_ONCE_MS);
  });

  it.each(['', '<p></p>', '<div style="height: 3000px"></div>'])(
    'is ready at once when nothing can ever draw it: %j',
    async (html) => {
      const { by, readiness } = await see(null, { html });
      expect(by).toBe('quiet');
      expect(readiness.waited_ms).toBeLessThan(AT_ONCE_MS);
    },
  );

  it('is ready at once when its scripts do not run', async () => {
    const seen = await see('drawn.html?by=timer&ms=300', { javascript: false });
    expect(seen).toMatchObject({ colour: RED, by: 'quiet', complete: true });
    expect(seen.readiness.waited_ms).toBeLessThan(AT_ONCE_MS);
  });
});

describe('an app that draws after its load', () => {
  const times = [300, 1_500, 4_000].flatMap((ms) => [
    { by: 'timer', ms },
    { by: 'fetch', ms },
  ]);

  it.each(times)('is waited for while it is blank: %j', async ({ by, ms }) => {
    const seen = await see(`drawn.html?by=${by}&ms=${ms}`);
    expect(seen).toMatchObject(READY);
    // Less than `ms`, because the page may have begun long before its load.
    expect(seen.readiness.waited_ms).toBeGreaterThan(0);
  });

  it('is captured as it is when it stays blank', async () => {
    const seen = await see('drawn.html?by=timer&ms=2000', { ready_timeout_ms: 1_000 });
    expect(seen).toMatchObject({ colour: RED, by: 'timeout', complete: true });
    expect(await see('drawn.html?by=timer&ms=2000')).toMatchObject(READY);
  });

  it.each(['text', 'spinner', 'cover', 'beside'])('is waited for while it says so: by a %s', async (by) => {
    expect(await see(`loading.html?by=${by}`)).toMatchObject(READY);
  });

  it('is waited for while it shows a skeleton', async () => {
    expect(await see('skeleton.html')).toMatchObject(READY);
  });

  it('is waited for while its server renders it and its module is under way', async () => {
    expect(await see('hydrated.html')).toMatchObject(READY);
  });

  it('is waited for while it draws itself in a shadow root, in steps', async () => {
    expect(await see('components.html')).toMatchObject(READY);
  });
});

describe('a spinner that never ends', () => {
  const ms = 3_600_000;

  it.each(['spinner', 'cover', 'text'])('is captured when the time is over: by a %s', async (by) => {
    const seen = await see(`loading.html?by=${by}&ms=${ms}`, { ready_timeout_ms: 4_000 });
    expect(seen).toMatchObject({ by: 'timeout', complete: true });
    expect(seen.readiness.waited_ms).toBeGreaterThan(HANGS_MS);
  });

  it('beside the content is part of the page after a while', async () => {
    const seen = await see(`loading.html?by=beside&ms=${ms}`);
    expect(seen).toMatchObject({ colour: RED, by: 'quiet' });
    expect(seen.readiness.waited_ms).toBeGreaterThan(HANGS_MS - 200);
  });
});

describe('what goes on endlessly', () => {
  it.each(['animated.html?by=css', 'animated.html?by=js', 'clock.html?every=20', 'clock.html'])(
    'is part of the page: %s',
    async (page) => {
      expect(await see(page)).toMatchObject(READY);
    },
  );

  it.each([100, 1_000])('does not keep a page from being ready: a poll every %s ms', async (every) => {
    const { readiness, ...seen } = await see(`polling.html?every=${every}`);
    expect(seen).toEqual(READY);
    expect(readiness.pending).toContainEqual({ host: new URL(capturing.site.url).host, type: 'fetch' });
  });
});

describe('what the window shows', () => {
  it('is waited for when it is a lazy image, and reported when it is broken', async () => {
    const seen = await see('lazy-images.html');
    expect(seen).toMatchObject({ ...READY, readiness: { images: { total: 2, pending: 0, broken: 1 } } });
  });

  it('is waited for when it is a text in a late font', async () => {
    expect(await see('late-font.html')).toMatchObject({ ...READY, readiness: { fonts: 'loaded' } });
  });

  it('is reported when the time is over', async () => {
    const { port } = capturing.site;
    const host = `127.0.0.1:${port}`;
    const images = await see('lazy-images.html', { ready_timeout_ms: 300 });
    expect(images).toMatchObject({ colour: RED, by: 'timeout' });
    expect(images.readiness).toMatchObject({
      pending: [{ host, type: 'image' }],
      images: { total: 2, pending: 1 },
    });
    const { readiness } = await see('late-font.html', { ready_timeout_ms: 300 });
    expect(readiness).toMatchObject({ by: 'timeout', fonts: 'pending', pending: [{ host, type: 'font' }] });
  });
});

describe('a page whose load hangs', () => {
  it('is captured some time after it was parsed, with what it still requests', async () => {
    const seen = await see('hanging-load.html');
    expect(seen).toMatchObject({ ...READY, readiness: { images: { total: 1, pending: 1 } } });
    expect(seen.readiness.pending).toEqual([{ host: new URL(capturing.site.url).host, type: 'image' }]);
  });

  it('is captured when the page is one that another page leads to', async () => {
    const html = "<script>location.replace('/ready/hanging-load.html')</script>";
    expect(await see(null, { html })).toMatchObject(READY);
  });

  it('fails when not even its document has arrived', async () => {
    const options = { wait_until: 'auto', navigation_timeout_ms: 5_000 } as const;
    const { code, message } = await capturing.failure('/hang-body', options);
    expect([code, message]).toEqual([
      'capture_timeout',
      'The page did not reach load within navigation_timeout_ms (5000).',
    ]);
  });
});

describe('the time for a page to be ready', () => {
  it('may be none: the page is looked at once', async () => {
    const { readiness, ...seen } = await see('drawn.html?by=timer&ms=4000', { ready_timeout_ms: 0 });
    expect(seen).toEqual({ colour: RED, by: 'timeout', complete: true });
    expect(readiness.waited_ms).toBeLessThan(AT_ONCE_MS);
    expect(await see('static.html', { ready_timeout_ms: 0 })).toMatchObject(READY);
  });

  it('leaves enough of timeout_ms to make the picture', async () => {
    const options = { timeout_ms: 4_000, ready_timeout_ms: 30_000 };
    expect(await see('drawn.html?by=timer&ms=60000', options)).toMatchObject({ colour: RED, by: 'timeout' });
  });

  it('is given again after an action, and the report covers both waits', async () => {
    const click = `<button onclick="this.textContent = 'Loading…'; setTimeout(() => {
      document.body.style.background = '#00ff00'; this.textContent = 'Done';
    }, 700)">x</button>`;
    const html = `<body style="margin: 0; background: #ff0000"><p>Text</p>${click}`;
    const seen = await see(null, { html, click_selector: 'button' });
    expect(seen).toMatchObject(READY);
    expect(seen.readiness.waited_ms).toBeGreaterThan(600);
  });

  it('is not reported for other moments', async () => {
    const moments = ['load', 'domcontentloaded', 'networkidle'] as const;
    const captured = await Promise.all(
      moments.map((wait_until) => capturing.capture('/ready/static.html', { wait_until })),
    );
    expect(captured.map(({ facts }) => facts.readiness)).toEqual([null, null, null]);
  });
});
