import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CaptureOptions } from './index.js';
import { Capturing } from '../../../../test/support/capturing.js';

const RED = 'ff0000';
const GREEN = '00ff00';

let capturing: Capturing;
beforeAll(async () => {
  capturing = await Capturing.open();
});
afterAll(() => capturing.close());

const colourOf = async (...args: Parameters<Capturing['picture']>): Promise<string> =>
  (await capturing.picture(...args)).at(1000, 700);

describe('wait_until', () => {
  it('is load by default: what comes later is not waited for', async () => {
    expect(await colourOf('/quiet.html')).toBe(RED);
    expect(await colourOf('/quiet.html', { wait_until: 'load' })).toBe(RED);
  });

  it('waits with auto until the page is quiet', async () => {
    expect(await colourOf('/quiet.html', { wait_until: 'auto' })).toBe(GREEN);
  });

  it('does not wait for ever with auto for a page that never is', async () => {
    const { facts } = await capturing.capture('/noisy.html', { wait_until: 'auto' });
    expect(facts).toMatchObject({ complete: true, title: 'Noisy' });
  });

  it('does not wait for pictures with domcontentloaded', async () => {
    const html = '<body style="margin: 0; background: #00ff00"><img src="/hang">';
    const options = { html, base_url: capturing.site.url, timeout_ms: 1_500 };
    expect(await colourOf(null, { ...options, wait_until: 'domcontentloaded' })).toBe(GREEN);
    expect((await capturing.failure(null, options)).facts).toMatchObject({
      phase: 'navigate',
      detail: expect.stringMatching(/^The page did not reach load within \d+ ms\.$/),
    });
  });

  it('waits with networkidle until no request is under way', async () => {
    const html = `<body style="margin: 0; background: #ff0000"><script>
      addEventListener('load', () => fetch('/slow?ms=700').then(() => { document.body.style.background = '#00ff00'; }));
    </script>`;
    const options = { html, base_url: capturing.site.url };
    expect(await colourOf(null, { ...options, wait_until: 'networkidle' })).toBe(GREEN);
    expect(await colourOf(null, options)).toBe(RED);
  });

  it('runs out with networkidle for a page that never is idle', async () => {
    const options = { wait_until: 'networkidle' as const, navigation_timeout_ms: 1_000 };
    expect((await capturing.failure('/noisy.html', options)).code).toBe('capture_timeout');
    const { facts } = await capturing.capture('/noisy.html', { ...options, on_timeout: 'capture' });
    expect(facts.complete).toBe(false);
  });
});

describe('wait_for_selector', () => {
  it.each([
    [{ wait_for_selector: '#late' }, GREEN],
    [{ wait_for_selector: '#late', wait_for_selector_state: 'visible' }, GREEN],
    [{ wait_for_selector: '#late', wait_for_selector_state: 'attached' }, GREEN],
    [{ wait_for_selector: '#going', wait_for_selector_state: 'hidden' }, GREEN],
    [{ wait_for_selector: '#unseen', wait_for_selector_state: 'attached' }, RED],
    [{ wait_for_selector: '#none', wait_for_selector_state: 'hidden' }, RED],
    [{}, RED],
  ] as const)('waits for the element: %j', async (options, colour) => {
    expect(await colourOf('/late.html', options)).toBe(colour);
  });

  it.each([
    ['#none', 'visible'],
    ['#unseen', 'visible'],
    ['#none', 'attached'],
    ['body', 'hidden'],
  ] as const)('says that %s was not %s in time', async (selector, state) => {
    const options = { wait_for_selector: selector, wait_for_selector_state: state, timeout_ms: 1_200 };
    const error = await capturing.failure('/late.html', options);
    expect([error.code, error.facts.phase, error.message]).toEqual([
      'capture_timeout',
      'settle',
      `The element of wait_for_selector (${selector}) was not ${state} in time.`,
    ]);
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

  it.each(['false', 'new Promise(() => {})', '(() => { for (;;); })()'])(
    'runs out while waiting for %s, and the next capture works',
    async (expression) => {
      const options = { wait_for_function: expression, timeout_ms: 1_000 };
      const error = await capturing.failure('/late.html', options);
      expect([error.code, error.message]).toEqual([
        'capture_timeout',
        'wait_for_function did not become true in time.',
      ]);
      expect(await colourOf('/late.html')).toBe(RED);
    },
  );
});

describe('delay_ms', () => {
  it('waits after all other waits', async () => {
    expect(await colourOf('/late.html', { delay_ms: 1_000 })).toBe(GREEN);
    expect(await colourOf('/late.html', { delay_ms: 0 })).toBe(RED);
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
    expect((await picture({ ...wait, click_selector: '#b' })).at(1000, 700)).toBe(GREEN);
    expect((await picture({ ...wait, js: "document.querySelector('#b').click()" })).at(1000, 700)).toBe(
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
    const options = { navigation_timeout_ms: 700, on_timeout: 'capture' as const };
    const { facts, bytes } = await capturing.capture('/hang-body', options);
    expect(facts).toMatchObject({ complete: false, title: 'Hangs', httpStatus: 200 });
    expect(bytes.length).toBeGreaterThan(0);
  });

  it('captures what is there when a wait runs out, and leaves time for it', async () => {
    const waits = [{ wait_for_selector: '#none' }, { wait_for_function: 'false' }, { delay_ms: 3_900 }];
    for (const wait of waits) {
      const { facts } = await capturing.capture('/late.html', {
        ...wait,
        timeout_ms: 4_000,
        on_timeout: 'capture',
      });
      expect([wait, facts.complete]).toEqual([wait, false]);
    }
  });

  it('fails all the same for a target that does not answer: there is nothing to capture', async () => {
    const options = { navigation_timeout_ms: 500, on_timeout: 'capture' as const };
    expect((await capturing.failure('/hang', options)).code).toBe('capture_timeout');
  });
});
