import { expect, it } from '@jest/globals';
import type { Browser } from 'puppeteer';
import type { BrowserPoolService, PageLease } from '@app/browser';
import { CaptureOptions, type CaptureFacts } from '@app/capture';
import { CaptureEngine } from '@app/capture/engine';
import type { Env } from '@app/config';
import { AppError, instantiate, type ErrorCode } from '@app/kernel';
import { withFirstFile, type Captured } from './capturing.js';
import { browserFiles } from './browser-folders.js';
import { eventually } from './eventually.js';
import { startFixtureSite, type FixtureSite } from './fixture-site.js';
import { HostileSite } from './hostile-site.js';
import { onePagePool } from './browser.js';
import { browsersFromNow } from './processes.js';
import { noFilters } from './filters.js';

/** How long after its deadline a capture may end. */
const GRACE_MS = 15_000;
/** Few of these pages are ever ready. */
const READY_MS = 1_500;
/** A browser may start one or two more processes after its first capture; leaked pages are many more. */
const SPARE_PROCESSES = 3;

/** How a capture ended. */
export interface Outcome {
  /** `file`, or the code of its error. */
  readonly end: 'file' | ErrorCode;
  readonly detail: string;
  readonly netError?: string;
  readonly facts?: CaptureFacts;
  readonly bytes?: Uint8Array;
}

/** What a capture might leave behind, compared before and after it. */
interface Traces {
  readonly processes: number;
  readonly pages: number;
  readonly contexts: number;
  readonly folders: readonly string[];
  readonly listeners: number;
}

type Use = (lease: PageLease) => void;

/** The engine with one real browser, which captures hostile pages and checks what they leave behind. */
export class Arena {
  private fresh?: Traces;
  /** The one that made the last capture. */
  private browser?: Browser;
  /** Called with the page of each capture before the engine uses it. */
  meddle: Use = () => undefined;
  filters = noFilters;
  /** The processes of its browser. */
  readonly browsers = browsersFromNow();

  private constructor(
    readonly site: HostileSite,
    private readonly good: FixtureSite,
    readonly pool: BrowserPoolService,
  ) {}

  static async open({ hosts = 0, ...settings }: Partial<Env> & { hosts?: number } = {}): Promise<Arena> {
    const [site, good] = await Promise.all([HostileSite.open(hosts), startFixtureSite()]);
    const arena = new Arena(site, good, onePagePool({ BROWSER_MAX_CAPTURES: 100_000, ...settings }));
    await arena.pool.start();
    await arena.captureGoodPage();
    await eventually('the page of the next capture is open', () => arena.isIdle());
    arena.fresh = arena.traces();
    return arena;
  }

  async close(): Promise<void> {
    await Promise.all([this.pool.close(), this.site.close(), this.good.close()]);
    await eventually('no browser is left', () => this.browsers().length === 0);
  }

  /** Captures a page of the hostile site. Rejects when the capture outlives its deadline. */
  async visit(name: string, options: Partial<CaptureOptions> = {}): Promise<Outcome> {
    const { timeout_ms = 10_000 } = options;
    const patience = AbortSignal.timeout(timeout_ms + GRACE_MS);
    const hang = new Promise<never>((_, reject) => {
      patience.addEventListener('abort', () => reject(new Error(`The capture of ${name} hangs`)));
    });
    const all = { ready_timeout_ms: READY_MS, ...options, url: this.site.url(name), timeout_ms };
    return Promise.race([this.outcome(all), hang]);
  }

  /** Expects that the next capture succeeds and that nothing of the last one is left. */
  async expectClean(): Promise<void> {
    await this.captureGoodPage();
    const { processes, ...others } = this.fresh ?? this.traces();
    let now = this.traces();
    const isClean = () => {
      now = this.traces();
      return JSON.stringify({ ...now, processes: 0 }) === JSON.stringify({ processes: 0, ...others });
    };
    // On failure the comparison below shows the difference.
    await eventually('nothing is left', isClean, GRACE_MS).catch(() => undefined);
    expect(now).toEqual({ ...others, processes: expect.any(Number) });
    expect(now.processes).toBeLessThanOrEqual(processes + SPARE_PROCESSES);
  }

  private async outcome(options: Partial<CaptureOptions>): Promise<Outcome> {
    try {
      const captured = await this.capture(options);
      expectWhole(captured);
      return { end: 'file', detail: '', facts: captured.facts, bytes: captured.bytes };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return { end: error.code, detail: error.message, netError: error.facts.netError };
    }
  }

  private async capture(options: Partial<CaptureOptions>): Promise<Captured> {
    const pool: Pick<BrowserPoolService, 'withPage'> = {
      withPage: (signal, use) =>
        this.pool.withPage(signal, (lease) => {
          this.browser = lease.context.browser();
          this.meddle(lease);
          return use(lease);
        }),
    };
    const engine = new CaptureEngine(pool, { maxBytes: 50e6, filters: this.filters });
    const { signal } = new AbortController();
    return withFirstFile(await engine.capture(instantiate(CaptureOptions, options), signal));
  }

  private async captureGoodPage(): Promise<void> {
    this.meddle = () => undefined;
    const captured = await this.capture({ url: `${this.good.url}/bands.html`, timeout_ms: 30_000 });
    expectWhole(captured);
    expect(captured.facts).toMatchObject({
      title: 'Bands',
      httpStatus: 200,
      complete: true,
      failedRequests: 0,
    });
  }

  /** Whether only the page of the next capture is open, in a context beside that of the browser itself. */
  private isIdle(): boolean {
    const { pages, contexts } = this.traces();
    return pages === 1 && contexts === 2;
  }

  private traces(): Traces {
    const pages = this.browser?.targets().filter((target) => target.type() === 'page');
    return {
      processes: this.browsers().length,
      pages: pages?.length ?? 0,
      contexts: this.browser?.browserContexts().length ?? 0,
      folders: filesOfBrowsers(),
      listeners: process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap').length,
    };
  }
}

/** A hostile page and how a capture of it may end. */
export interface HostileRow {
  /** The number of the row in the list of hostile pages, and what the page does. */
  readonly title: string;
  readonly page: string;
  readonly options?: Partial<CaptureOptions>;
  readonly ends: readonly Outcome['end'][];
  /** Expected facts when the capture ends with a file. */
  readonly facts?: Partial<Record<keyof CaptureFacts, unknown>>;
  /** Expected words of the error, when several reasons share its code. */
  readonly detail?: RegExp;
}

/** Tests each page: its capture ends in one of the expected ways, in time, and leaves nothing behind. */
export function itSurvives(arena: () => Arena, rows: readonly HostileRow[]): void {
  it.each(rows)('$title', async ({ page, options, ends, facts, detail }) => {
    const outcome = await arena().visit(page, options);
    if (!ends.includes(outcome.end)) throw new Error(`It ends with ${outcome.end}: ${outcome.detail}`);
    if (outcome.end === 'file') expect(outcome.facts).toMatchObject(facts ?? {});
    else expect(outcome.detail).toMatch(detail ?? /./);
    await arena().expectClean();
  });
}

function expectWhole({ format, bytes }: Captured): void {
  if (format === 'text' || format === 'markdown') {
    expect(new TextDecoder('utf-8', { fatal: true }).decode(bytes)).toMatch(/\S/);
    return;
  }
  const start = Buffer.from(bytes.subarray(0, 8)).toString('latin1');
  expect(start).toContain(format === 'pdf' ? '%PDF-' : 'PNG');
  const end = Buffer.from(bytes.subarray(-12)).toString('latin1');
  expect(end).toContain(format === 'pdf' ? '%%EOF' : 'IEND');
}

/**
 * The files of this process's browsers without Chromium's own: the profile, and what its sound library writes once.
 */
function filesOfBrowsers(): string[] {
  return browserFiles(process.pid)
    .filter((entry) => !/pulse|\.config$/.test(entry))
    .map((entry) => entry.replace(/^b-\w{6}/, 'browser').replace(/\.\w{6}$/, ''))
    .sort();
}
