import type { BrowserPoolService, PageLease } from '@app/browser';
import { AppError, unlessAborted, type ErrorCode } from '@app/kernel';
import { CaptureFailure, type Captured } from '../captured.js';
import { NO_FACTS, type FailedFacts } from '../facts.js';
import { FAMILIES, type CaptureOptions } from '../options/index.js';
import type { FamilyHooks, Visit } from '../pipeline/family.js';
import { watchRequests } from '../pipeline/interceptor.js';
import { waitAfterLoad } from '../options/waiting.js';
import { NavigationWatcher } from './navigation-watcher.js';
import { failedFacts } from './failed-facts.js';
import { navigate } from './navigate.js';
import { render } from './render.js';
import { Stopwatch } from './stopwatch.js';
import { timeout, translateError, type FailureContext } from './translate-error.js';
import { closeFacts, openVisit } from './visit.js';

export interface EngineLimits {
  /** Most bytes of a file. */
  readonly maxBytes: number;
  /** Hears which address was refused, of which the error says nothing: the target, or where it redirected to. */
  readonly onForbidden?: (address: URL) => void;
}

/**
 * Ends of a capture after which nobody knows what still runs in its browser, whichever limit ran out first: that of a
 * wait, of the navigation or of the capture.
 */
const DOUBTFUL: ReadonlySet<ErrorCode> = new Set(['capture_timeout', 'browser_crashed', 'internal']);

/** In the order of work; each sees the options of all families, and uses its own. */
const families: readonly FamilyHooks<CaptureOptions>[] = FAMILIES;

/** Turns options into a file: one page, one visit, whatever the page does. */
export class CaptureEngine {
  constructor(
    private readonly pool: Pick<BrowserPoolService, 'withPage'>,
    private readonly limits: EngineLimits,
  ) {}

  /**
   * Captures within `timeout_ms`. When `signal` is aborted the page is closed at once.
   *
   * @throws CaptureFailure, with its `phase` set, or the reason of `signal` as an AppError; nothing else
   */
  async capture(options: CaptureOptions, signal: AbortSignal): Promise<Captured> {
    const stopwatch = new Stopwatch();
    const deadline = new AbortController();
    const over = AbortSignal.any([signal, deadline.signal]);
    let visit: Visit | undefined;
    const where = (): FailureContext => ({
      phase: stopwatch.phase,
      elapsedMs: stopwatch.elapsedMs(),
      target: visit?.target ?? null,
      status: visit?.response?.status(),
      requested: visit?.requested,
      refusal: visit?.requested === undefined ? undefined : visit.netErrorOf(visit.requested),
      hasTemplates: options.pdf_header_html !== undefined || options.pdf_footer_html !== undefined,
    });
    const endOf = (error: unknown): AppError =>
      over.aborted ? AppError.from(over.reason) : translateError(error, where());
    const failed = (error: AppError, facts: FailedFacts): AppError =>
      signal.aborted ? error : new CaptureFailure(error, { facts, timings: stopwatch.timings() });
    const timer = setTimeout(() => {
      deadline.abort(timeout(where()));
    }, options.timeout_ms);
    try {
      return await this.pool.withPage(over, (lease) => {
        const opened = openVisit(lease, options, { signal: over, stopwatch });
        visit = opened;
        const made = metered(lease, this.make(opened, options, stopwatch));
        return unlessOver(over, lease, made).catch(async (error: unknown) => {
          const end = await blamed(endOf(error), lease);
          if (DOUBTFUL.has(end.code)) lease.markUnusable(`A capture ended with ${end.code}.`);
          // Nobody reads the facts of a capture that was called off.
          throw signal.aborted ? end : failed(end, await factsOfFailure(lease, opened, end));
        });
      });
    } catch (error) {
      const failure = error instanceof CaptureFailure ? error : failed(endOf(error), NO_FACTS);
      this.reportForbidden(failure, visit?.requested);
      throw failure;
    } finally {
      clearTimeout(timer);
    }
  }

  private reportForbidden({ code }: AppError, requested = ''): void {
    const address = code === 'target_forbidden' ? URL.parse(requested) : null;
    if (address) this.limits.onForbidden?.(address);
  }

  /** Prepare → navigate → settle → render: the story of a capture. */
  private async make(visit: Visit, options: CaptureOptions, stopwatch: Stopwatch): Promise<Unmetered> {
    for (const { prepare } of families) await prepare?.(visit, options);
    const judges = families.flatMap(({ judge }) => judge?.(visit, options) ?? []);
    await watchRequests(visit, judges);
    const navigation = new NavigationWatcher(visit);
    navigation.watch();

    stopwatch.enter('navigate');
    await navigate(visit, options);
    await navigation.over(options);

    stopwatch.enter('settle');
    if (visit.target) for (const { arrive } of families) arrive?.(visit, options);
    await waitAfterLoad(visit, options);
    for (const { settle } of families) await settle?.(visit, options);

    stopwatch.enter('render');
    const bytes = await navigation.redoing(options, () => render(visit, options, this.limits.maxBytes));
    const facts = await closeFacts(visit);
    return { format: options.format, bytes, facts, timings: stopwatch.timings() };
  }
}

async function factsOfFailure(lease: PageLease, visit: Visit, error: AppError): Promise<FailedFacts> {
  const facts = await failedFacts(visit, error);
  return { ...facts, blockedRequests: facts.blockedRequests + lease.egress.usage().blocked };
}

/** A browser that is mute makes a page look slow. That is our fault, so that the capture may be tried again. */
async function blamed(failure: AppError, { browserAnswers }: PageLease): Promise<AppError> {
  if (failure.code !== 'capture_timeout' || (await browserAnswers())) return failure;
  const { phase, elapsedMs } = failure.facts;
  return new AppError('browser_crashed', { detail: 'The browser no longer answers.', phase, elapsedMs });
}

type Unmetered = Omit<Captured, 'traffic'>;

/**
 * Adds what went through the egress. Once its bytes are used up, or the worker had no connection left to give, the page lacks
 * nobody knows what: the capture fails.
 */
async function metered({ egress }: PageLease, work: Promise<Unmetered>): Promise<Captured> {
  try {
    const captured = await work;
    const { requests, blocked, bytes } = egress.usage();
    const lack = lackOf(egress);
    if (lack) throw lack;
    const blockedRequests = captured.facts.blockedRequests + blocked;
    return { ...captured, facts: { ...captured.facts, blockedRequests }, traffic: { requests, bytes } };
  } catch (error) {
    throw lackOf(egress) ?? error;
  }
}

function lackOf(egress: PageLease['egress']): AppError | undefined {
  const { exceeded, starved } = egress.usage();
  if (starved) {
    return new AppError('overloaded', {
      detail: 'The worker had no connection left for what the page asked for.',
    });
  }
  if (exceeded !== 'bytes') return undefined;
  return new AppError('resource_limit', {
    detail: 'The page exchanged more bytes with the network than a capture may.',
  });
}

/** Settles as `work` does, or rejects as soon as the capture is over or its browser is lost; the pool ends the work. */
function unlessOver<T>(over: AbortSignal, lease: PageLease, work: Promise<T>): Promise<T> {
  const lost = lease.lost.then((error): never => {
    throw error;
  });
  return Promise.race([unlessAborted(work, over), lost]);
}
