import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CaptureOptions } from '../request/capture-options.js';
import { Capturing } from '../../../../test/support/capturing.js';

const RED = 'ff0000';
const GREEN = '00ff00';

/** Time in ms for captures that are to run out of it. Those of a test run at once, so that it may be enough to load a page. */
const SHORT_MS = 4_000;

/** A page that changes later than any capture here ends. */
const FAR = '?ms=3600000';

let capturing: Capturing;
beforeAll(async () => {
  capturing = await Capturing.open(4);
});
afterAll(() => capturing.close());

const colourOf = async (...args: Parameters<Capturing['picture']>): Promise<string> =>
  (await capturing.picture(...args)).colourAt(1000, 700);

describe('wait_until', () => {
  it('does not wait with load for what comes later', async () => {
    expect(await colourOf(`/quiet.html${FAR}`, { wait_until: 'load' })).toBe(RED);
  });

  it('is auto by default: waits until the page is quiet', async () => {
    expect(await colourOf('/quiet.html')).toBe(GREEN);
    expect(await colourOf('/quiet.html', { wait_until: 'auto' })).toBe(GREEN);
  });

  it('stops waiting with auto for a page that never settles', async () => {
    const { facts } = await capturing.capture('/noisy.html', { wait_until: 'auto' });
    expect(facts).toMatchObject({ complete: true, title: 'Noisy' });
  });

  it('does not wait for pictures with domcontentloaded', async () => {
    const html = '<body style="margin: 0; background: #00ff00"><img src="/hang">';
    const options = { html, base_url: capturing.site.url };
    expect(await colourOf(null, { ...options, wait_until: 'domcontentloaded' })).toBe(GREEN);
    const load = { wait_until: 'load', timeout_ms: 1_500 } as const;
    expect((await capturing.failure(null, { ...options, ...load })).facts).toMatchObject({
      phase: 'navigate',
      detail: 'The page did not reach load within timeout_ms (1500).',
    });
  });

  it('waits with networkidle until no request is under way', async () => {
    const html = `<body style="margin: 0; background: #ff0000"><script>
      addEventListener('load', () => fetch('/slow?ms=700').then(() => { document.body.style.background = '#00ff00'; }));
    </script>`;
    const options = { base_url: capturing.site.url };
    expect(await colourOf(null, { ...options, html, wait_until: 'networkidle' })).toBe(GREEN);
    expect(await colourOf(null, { ...options, html: html.replace('/slow?ms=700', '/hang') })).toBe(RED);
  });

  it('runs out with networkidle for a page that never is idle', async () => {
    const options = { wait_until: 'networkidle' as const, navigation_timeout_ms: 3_000 };
    const [{ code }, { facts }] = await Promise.all([
      capturing.failure('/noisy.html', options),
      capturing.capture('/noisy.html', { ...options, on_timeout: 'capture' }),
    ]);
    expect([code, facts.complete]).toEqual(['capture_timeout', false]);
  });
});

describe('wait_for_selector', () => {
  it.each([
    { wait_for_selector: '#late' },
    { wait_for_selector: '#late', wait_for_selector_state: 'visible' },
    { wait_for_selector: '#late', wait_for_selector_state: 'attached' },
    { wait_for_selector: '#going', wait_for_selector_state: 'hidden' },
  ] as const)('waits for the element: %j', async (options) => {
    expect(await colourOf('/late.html', options)).toBe(GREEN);
  });

  it.each([
    { wait_for_selector: '#unseen', wait_for_selector_state: 'attached' },
    { wait_for_selector: '#none', wait_for_selector_state: 'hidden' },
    {},
  ] as const)('waits for nothing that is so already: %j', async (options) => {
    expect(await colourOf(`/late.html${FAR}`, options)).toBe(RED);
  });

  it('says which element was not in which state in time', async () => {
    const cases = [
      ['#none', 'visible'],
      ['#unseen', 'visible'],
      ['#none', 'attached'],
      ['body', 'hidden'],
    ] as const;
    const errors = await Promise.all(
      cases.map(([wait_for_selector, wait_for_selector_state]) => {
        const options = { wait_for_selector, wait_for_selector_state, timeout_ms: SHORT_MS };
        return capturing.failure('/late.html', options);
      }),
    );
    expect(errors.map(({ code, facts, message }) => [code, facts.phase, message])).toEqual(
      cases.map(([selector, state]) => [
        'capture_timeout',
        'settle',
        `The element of wait_for_selector (${selector}) was not ${state} in time.`,
      ]),
    );
  });

  it('says that the browser does not take it', async () => {
    const { code } = await capturing.failure('/late.html', { wait_for_selector: '#1a' });
    expect(code).toBe('selector_not_found');
  });
});

describe('wait_for_function', () => {
  it.each([
    'window.ready',
    'window.ready;',
    'window.ready // at last',
    'wait',
    'await window.wait',
    '() => window.ready',
  ])('waits until %s is true', async (expression) => {
    expect(await colourOf('/late.html', { wait_for_function: expression })).toBe(GREEN);
  });

  it.each([
    ['nope.nope', 'wait_for_function: ReferenceError: nope is not defined'],
    ['a b', "wait_for_function: SyntaxError: Unexpected identifier 'b'"],
    ['Promise.reject(new Error("no"))', 'wait_for_function: Error: no'],
  ])('fails at once when %s throws', async (expression, message) => {
    const error = await capturing.failure('/late.html', { wait_for_function: expression });
    expect([error.code, error.message, error.facts.phase]).toEqual(['script_failed', message, 'settle']);
  });

  it('runs out while waiting for what never comes true, and the next captures work', async () => {
    const cases = ['false', 'new Promise(() => {})', '(() => { for (;;); })()'];
    const errors = await Promise.all(
      cases.map((wait_for_function) =>
        capturing.failure('/late.html', { wait_for_function, timeout_ms: SHORT_MS }),
      ),
    );
    expect(errors.map(({ code, message }) => [code, message])).toEqual(
      cases.map(() => ['capture_timeout', 'wait_for_function did not become true in time.']),
    );
    const next = await Promise.all(Array.from({ length: 4 }, () => colourOf(`/late.html${FAR}`)));
    expect(next).toEqual([RED, RED, RED, RED]);
  });
});

describe('delay_ms', () => {
  it('waits after all other waits', async () => {
    expect(await colourOf('/late.html', { delay_ms: 1_000 })).toBe(GREEN);
    expect(await colourOf(`/late.html${FAR}`, { delay_ms: 0 })).toBe(RED);
  });
});

describe('what is waited for', () => {
  /** Red; on a click it asks the site, then turns green, with an element, a text and a variable. */
  const html = `<style>body { margin: 0; background: #ff0000 } #low { margin-top: 3000px }</style>
    <button id="b" onclick="fetch('/slow?ms=300').then((answer) => answer.text()).then(() => setTimeout(() => {
      document.body.style.background = '#00ff00';
      document.body.insertAdjacentHTML('beforeend', '<p id=low>loaded</p>');
      window.ready = true;
    }, 100))">x</button><p id="unseen" style="display: none">unseen</p>`;
  const picture = (options: Partial<CaptureOptions>) =>
    capturing.picture(null, { html, base_url: capturing.site.url, ...options });

  it.each<Partial<CaptureOptions>>([
    { wait_for_selector: '#low' },
    { wait_for_function: 'window.ready' },
    { delay_ms: 1_500 },
    { wait_until: 'networkidle' },
    { wait_until: 'auto' },
  ])('is what a click or js sets off: %j', async (wait) => {
    expect((await picture({ ...wait, click_selector: '#b' })).colourAt(1000, 700)).toBe(GREEN);
    expect((await picture({ ...wait, js: "document.querySelector('#b').click()" })).colourAt(1000, 700)).toBe(
      GREEN,
    );
  });

  it('is judged and scrolled to after it has come', async () => {
    const options = { click_selector: '#b', wait_for_selector: '#low' };
    await picture({ ...options, fail_if_text_missing: 'loaded', scroll_to_selector: '#low' });
    const denied = { ...options, html, base_url: capturing.site.url, fail_if_text: 'loaded' };
    expect((await capturing.failure(null, denied)).code).toBe('condition_failed');
  });

  it('is seen as css and hide_selectors show it', async () => {
    await picture({ css: '#unseen { display: block !important }', wait_for_selector: '#unseen' });
    await picture({ hide_selectors: ['#b'], wait_for_selector: '#b', wait_for_selector_state: 'hidden' });
    await picture({ hide_selectors: ['#b'], fail_if_text: 'x' });
  });

  it('is the quiet of the page again, or the time runs out', async () => {
    const options = { html, base_url: capturing.site.url, wait_until: 'networkidle' as const };
    const poll = { js: "setInterval(() => fetch('/green.svg'), 50)", navigation_timeout_ms: 1_000 };
    const { code, message } = await capturing.failure(null, { ...options, ...poll });
    expect([code, message]).toEqual([
      'capture_timeout',
      'The page did not reach networkidle again after js or a click.',
    ]);
  });
});

describe('on_timeout', () => {
  it.each([{}, { on_timeout: 'fail' as const }])('fails with %j', async (options) => {
    const error = await capturing.failure('/hang-body', { navigation_timeout_ms: 700, ...options });
    expect([error.code, error.facts.phase]).toEqual(['capture_timeout', 'navigate']);
    expect(error.facts.elapsedMs).toBeGreaterThanOrEqual(700);
  });

  it('captures what is there of a page that does not load', async () => {
    const options = { navigation_timeout_ms: 2_000, on_timeout: 'capture' as const };
    const { facts, bytes } = await capturing.capture('/hang-body', options);
    expect(facts).toMatchObject({ complete: false, title: 'Hangs', httpStatus: 200 });
    expect(bytes.length).toBeGreaterThan(0);
  });

  it('captures what is there when a wait runs out, and leaves time for it', async () => {
    const waits = [
      { wait_for_selector: '#none' },
      { wait_for_function: 'false' },
      { delay_ms: SHORT_MS - 100 },
    ];
    const captured = await Promise.all(
      waits.map((wait) =>
        capturing.capture('/late.html', { ...wait, timeout_ms: SHORT_MS, on_timeout: 'capture' }),
      ),
    );
    expect(captured.map(({ facts }) => facts.complete)).toEqual([false, false, false]);
  });

  it('fails all the same for a target that does not answer: there is nothing to capture', async () => {
    const options = { navigation_timeout_ms: 500, on_timeout: 'capture' as const };
    expect((await capturing.failure('/hang', options)).code).toBe('capture_timeout');
  });
});
