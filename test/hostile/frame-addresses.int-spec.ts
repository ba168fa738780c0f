import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { BrowserPoolService, PageLease } from '@app/browser';
import { CaptureOptions } from '@app/capture';
import { CaptureEngine } from '@app/capture/engine';
import { instantiate } from '@app/kernel';
import { onePagePool } from '../support/browser.js';
import { noFilters } from '../support/filters.js';

/** Chromium's limit of an address is 2 MB. */
const HASH = 2_000_000;
/** A page that is never quiet, so that it is looked at until the wait is over. */
const HTML = `<title>Frames</title><p id="p">Text</p><script>
  for (let i = 0; i < 3; i += 1) {
    const frame = document.createElement('iframe');
    frame.src = 'about:blank#' + 'x'.repeat(${HASH});
    document.body.append(frame);
  }
  setInterval(() => { p.textContent += ' word' }, 20);
</script>`;

describe('frames whose addresses are as long as Chromium allows', () => {
  const pool = onePagePool();
  beforeAll(() => pool.start());
  afterAll(() => pool.close());

  /** The commands of a capture on the session of the page, and the characters of what the browser answered to them. */
  async function answersOf(options: Partial<CaptureOptions>) {
    const commands: string[] = [];
    let characters = 0;
    const counting = (lease: PageLease): PageLease => {
      const send = lease.cdp.send.bind(lease.cdp);
      lease.cdp.send = (async (...command: Parameters<typeof send>) => {
        commands.push(command[0]);
        const answer: unknown = await send(...command);
        characters += JSON.stringify(answer).length;
        return answer;
      }) as typeof send;
      return lease;
    };
    const counted: Pick<BrowserPoolService, 'withPage'> = {
      withPage: (signal, use) => pool.withPage(signal, (lease) => use(counting(lease))),
    };
    const engine = new CaptureEngine(counted, { maxBytes: 50e6, filters: noFilters });
    const { facts } = await engine.capture(
      instantiate(CaptureOptions, { html: HTML, ready_timeout_ms: 2_000, ...options }),
      new AbortController().signal,
    );
    expect(facts.title).toBe('Frames');
    return { commands, characters };
  }

  it.each([
    ['the looks until it is ready', {}],
    ['a stable capture', { stable: true }],
    ['text', { format: 'text' }],
    ['html', { format: 'html' }],
  ] as const)('are not in what the browser answers: %s', async (_, options) => {
    const { commands, characters } = await answersOf(options);
    expect(commands.filter((name) => name === 'Runtime.callFunctionOn').length).toBeGreaterThan(5);
    expect(characters).toBeLessThan(HASH);
  });
});
