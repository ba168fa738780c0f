import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { CaptureOptions } from '@app/capture';
import { CaptureEngine } from '@app/capture/engine';
import { instantiate } from '@app/kernel';
import { Capturing } from '../../../../test/support/capturing.js';
import { noFilters } from '../../../../test/support/filters.js';

let capturing: Capturing;

beforeAll(async () => {
  capturing = await Capturing.open();
});
afterAll(() => capturing.close());

/** The commands that a capture sends on its session with the page, in order. */
async function commandsOf(options: Partial<CaptureOptions>): Promise<string[]> {
  const commands: string[] = [];
  const pool: ConstructorParameters<typeof CaptureEngine>[0] = {
    withPage: (signal, use) =>
      capturing.pool.withPage(signal, (lease) => {
        const send = lease.cdp.send.bind(lease.cdp);
        jest.spyOn(lease.cdp, 'send').mockImplementation((method, ...rest) => {
          commands.push(method);
          return send(method, ...rest);
        });
        return use(lease);
      }),
  };
  const engine = new CaptureEngine(pool, { maxBytes: 1e6, filters: noFilters });
  const url = `${capturing.site.url}/bands.html`;
  await engine.capture(instantiate(CaptureOptions, { url, ...options }), new AbortController().signal);
  return commands;
}

const AUTHENTICATION = ['Fetch.enable', 'Fetch.continueRequest', 'Fetch.continueWithAuth', 'Fetch.disable'];

/** The fewest of several captures: on a busy machine the page may have to be looked at again before it is rendered. */
async function fewestCommandsOf(options: object): Promise<string[]> {
  const tries = [];
  for (let i = 0; i < 5; i += 1) tries.push(await commandsOf(options));
  const [fewest = []] = tries.sort((a, b) => a.length - b.length);
  return fewest.toSorted();
}

describe('slices of a full page', () => {
  it('take the same commands as the whole', async () => {
    const whole = { full_page: true, full_page_method: 'once', scroll: false } as const;
    const commands = await fewestCommandsOf({ ...whole, slice_height: 500 });
    expect(commands).toEqual(await fewestCommandsOf(whole));
    expect(commands.filter((each) => each === 'Page.captureScreenshot')).toHaveLength(1);
  });
});

const countOf = (method: string, commands: readonly string[]): number =>
  commands.filter((each) => each === method).length;

describe('several outputs', () => {
  it('look for the main content of a page once', async () => {
    const outputs = [
      { name: 'text', format: 'text' },
      { name: 'markdown', format: 'markdown' },
    ] as const;
    const commands = await fewestCommandsOf({ outputs, stable: true });
    expect(countOf('Runtime.evaluate', commands)).toBe(1);
  });
});

describe('a stable capture', () => {
  it('opens the isolated world of a document once for all that it does in frames', async () => {
    const commands = await fewestCommandsOf({ stable: true });
    expect(countOf('Runtime.callFunctionOn', commands)).toBeGreaterThan(5);
    // Its own and that of what runs in frames, each for the first and for the page's document.
    expect(countOf('Page.createIsolatedWorld', commands)).toBeLessThanOrEqual(4);
  });
});

describe('a plain capture', () => {
  it.each([
    ['that states no outputs', {}],
    ['that states one output', { outputs: [{ name: 'picture' }] }],
  ])('%s sends the browser no command for a feature that was not asked for', async (_, options) => {
    expect(await fewestCommandsOf(options)).toEqual(
      [
        ...AUTHENTICATION,
        // The probe of readiness, and the navigations of the page.
        ...['Page.addScriptToEvaluateOnNewDocument', 'Page.enable'],
        // The look at the page that arrived, and the verdict.
        ...['Page.createIsolatedWorld', 'Runtime.callFunctionOn', 'Runtime.callFunctionOn'],
        ...['Page.getLayoutMetrics', 'Page.captureScreenshot', 'Page.getNavigationHistory'],
      ].toSorted(),
    );
  });

  it('sends even less without waiting for what the page adds by itself', async () => {
    const commands = await commandsOf({ wait_until: 'load', animations: 'allow' });
    expect(commands).not.toContain('Page.addScriptToEvaluateOnNewDocument');
  });
});
