import type { BrowserPoolService, PageLease } from '@app/browser';
import type { FilterSet } from '@app/filters';
import { AppError, unlessAborted, type ErrorCode } from '@app/kernel';
import { CaptureFailure, type Captured, type CapturedFile } from '../findings/captured.js';
import { hashVisibleText } from '../findings/comparison/visible-text.js';
import { NO_FACTS, type FailedFacts } from '../record/facts.js';
import type { SessionUse } from '../pipeline/browser-state.js';
import { fillState, pageStateOf, readState } from '../browser-state/move-state.js';
import type { BlockedRequests } from '../record/requests.js';
import { isLogInWall } from '../record/verdict.js';
import { FAMILY_HOOKS, type CaptureOptions } from '../request/capture-options.js';
import type { Visit } from '../pipeline/family.js';
import { watchRequests } from '../pipeline/interceptor.js';
import { NavigationWatcher } from './navigation-watcher.js';
import { failedFacts } from './failed-facts.js';
import { failurePicture } from './failure-picture.js';
import { finishFiles, stableOf } from './finish-files.js';
import { navigate } from './navigate.js';
import { render } from './render.js';
import { Stopwatch, type EnginePhase } from './stopwatch.js';
import { planVisit, type VisitPlan } from './visit-plan.js';
import { hostRefused, timeout, translateError, type FailureContext } from './translate-error.js';
import { closeFacts, openVisit, type VisitParts } from './visit.js';

export interface EngineParts {
  /** Maximum size of all files of a capture together. */
  readonly maxBytes: number;
  /** The current filter lists. A capture uses those of its start to its end. */
  readonly filters: () => FilterSet;
  /** Called with the refused address, the target or one that it redirected to, which the error must not reveal. */
  readonly onForbidden?: (address: URL) => void;
}

/** What a capture is given besides its options, and whom it tells about its phases. */
export interface EngineRun {
  /** Learns of each phase after the first. */
  readonly onPhase?: (phase: EnginePhase) => void;
  /** The session with which the page is visited. */
  readonly session?: SessionUse | undefined;
}

/** Errors after which work of the capture may still run in its browser, so that the browser is replaced. */
const SUSPECT_ERRORS: ReadonlySet<ErrorCode> = new Set(['capture_timeout', 'browser_crashed', 'internal']);

/** Turns options into files, in one visit to one page. */
export class CaptureEngine {
  constructor(
    private readonly pool: Pick<BrowserPoolService, 'withPage'>,
    private readonly parts: EngineParts,
  ) {}

  /**
   * Captures within `timeout_ms`. An abort of `signal` closes the page at once.
   *
   * @throws CaptureFailure, with its `phase` set, or the reason of `signal` as an AppError; nothing else
   */
  async capture(
    options: CaptureOptions,
    signal: AbortSignal,
    { onPhase, session }: EngineRun = {},
  ): Promise<Captured> {
    const stopwatch = new Stopwatch(onPhase);
    const deadline = new AbortController();
    const ended = AbortSignal.any([signal, deadline.signal]);
    const plan = planVisit(options);
    let visit: Visit | undefined;
    const contextOf = (): FailureContext => failureContext(plan, stopwatch, visit);
    const toAppError = (error: unknown): AppError =>
      ended.aborted ? AppError.from(ended.reason) : translateError(error, contextOf());
    const failed = (error: AppError, facts: FailedFacts, picture?: CapturedFile): AppError =>
      signal.aborted ? error : new CaptureFailure(error, { facts, timings: stopwatch.timings(), picture });
    const timer = setTimeout(() => {
      deadline.abort(timeout(contextOf()));
    }, options.timeout_ms);
    try {
      const use = async (lease: PageLease): Promise<Captured> => {
        const opened = await this.open(lease, plan, { signal: ended, stopwatch, session });
        visit = opened;
        const captured = keepingContext(lease, opened, metered(lease, this.make(opened, plan, stopwatch)));
        return unlessEnded(ended, lease, captured).catch(async (error: unknown) => {
          const failure = redacted(await attributed(toAppError(error), lease), opened);
          if (SUSPECT_ERRORS.has(failure.code)) lease.markUnusable(`A capture ended with ${failure.code}.`);
          // The facts of a canceled capture are not stored.
          if (signal.aborted) throw failure;
          const picture = await failurePicture(opened, plan.options, failure);
          throw failed(failure, await factsOfFailure(lease, opened, failure), picture);
        });
      };
      return await this.pool.withPage(ended, use, session?.share);
    } catch (error) {
      const failure = error instanceof CaptureFailure ? error : failed(toAppError(error), NO_FACTS);
      // The egress refused nothing when the options did.
      if (visit?.refusedHost === undefined) this.reportForbidden(failure, visit?.requested);
      throw failure;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Fills the context of the page with the state of the session, unless an earlier capture has, and starts the visit. */
  private async open(
    lease: PageLease,
    { options }: VisitPlan,
    run: Omit<VisitParts, 'parts' | 'storageFill'>,
  ): Promise<Visit> {
    const { signal, session } = run;
    const { url, javascript } = options;
    const own = url !== undefined && javascript ? new URL(url).origin : undefined;
    const state = session?.state && (lease.isContextUsed ? pageStateOf(session.state) : session.state);
    const filling = state && fillState(lease, state, own);
    const storageFill = filling ? await unlessEnded(signal, lease, filling) : undefined;
    const visit = openVisit(lease, options, { ...run, parts: this.parts, storageFill });
    if (session) visit.facts.session = session.fact;
    return visit;
  }

  private reportForbidden({ code }: AppError, requested = ''): void {
    const address = code === 'target_forbidden' ? URL.parse(requested) : null;
    if (address) this.parts.onForbidden?.(address);
  }

  /** The phases of a capture: prepare, navigate, settle, render. */
  private async make(visit: Visit, plan: VisitPlan, stopwatch: Stopwatch): Promise<CapturedWithoutTraffic> {
    const { options } = plan;
    for (const { prepare } of FAMILY_HOOKS) await prepare?.(visit, options);
    const judges = FAMILY_HOOKS.flatMap(({ judge }) => judge?.(visit, options) ?? []);
    await watchRequests(visit, judges);
    const navigation = new NavigationWatcher(visit);
    const watching = navigation.watch();
    // A process that takes over the document earlier than this would not know of the scripts that fill its storage.
    if (visit.storageFill) await watching;

    stopwatch.enter('navigate');
    await navigate(visit, options);
    await navigation.waitForNavigation(options);
    await visit.storageFill?.settled();

    stopwatch.enter('settle');
    if (visit.target) for (const { arrive } of FAMILY_HOOKS) arrive?.(visit, options);
    for (const { loaded } of FAMILY_HOOKS) await loaded?.(visit, options);
    for (const { settle } of FAMILY_HOOKS) await settle?.(visit, options);

    stopwatch.enter('render');
    const { maxBytes } = this.parts;
    const drawn = await navigation.repeatOnNavigation(options, (current, isAgain) =>
      render(current, { plan, maxBytes, isAgain }),
    );
    const isCompared = options.compare_with !== undefined;
    const textHash = isCompared ? await hashVisibleText(visit, options.compare_ignore_selectors) : null;
    const [closed, files] = await Promise.all([closeFacts(visit), finishFiles(drawn, maxBytes)]);
    if (visit.refusedHost !== undefined) throw hostRefused(visit.refusedHost, stopwatch);
    const facts = visit.redact?.(closed) ?? closed;
    return {
      files,
      facts: { ...facts, ...files[0].facts, stable: stableOf(files) },
      textHash,
      timings: stopwatch.timings(),
      ...(visit.session?.isKept && { state: await readState(visit, visit.session, visit.storageFill) }),
    };
  }
}

function failureContext(plan: VisitPlan, stopwatch: Stopwatch, visit: Visit | undefined): FailureContext {
  const hasTemplates = ({ options }: VisitPlan['outputs'][number]): boolean =>
    options.pdf_header_html !== undefined || options.pdf_footer_html !== undefined;
  return {
    phase: stopwatch.phase,
    elapsedMs: stopwatch.elapsedMs(),
    target: visit?.target ?? null,
    status: visit?.response?.status(),
    requested: visit?.requested,
    refusedHost: visit?.refusedHost,
    refusal: visit?.requested === undefined ? undefined : visit.netErrorOf(visit.requested),
    output: plan.isNamed ? visit?.making.output : undefined,
    namesOutputs: plan.isNamed,
    hasTemplates: plan.outputs.some(hasTemplates),
  };
}

/** The error without the secrets that the capture has typed, which an address or a name in the page may repeat. */
function redacted(error: AppError, { redact }: Visit): AppError {
  if (!redact) return error;
  const { cause, ...facts } = error.facts;
  const known = cause instanceof Error ? new Error(redact(cause.message)) : undefined;
  return new AppError(error.code, { ...redact(facts), cause: known });
}

async function factsOfFailure(lease: PageLease, visit: Visit, error: AppError): Promise<FailedFacts> {
  const known = await failedFacts(visit, error);
  const facts = visit.redact?.(known) ?? known;
  return { ...facts, blocked: withForbidden(facts.blocked, lease) };
}

/** Errors that Chromium also reports when some of its processes have been killed and others still run for a moment. */
const MIMICKED_ERRORS: ReadonlySet<ErrorCode> = new Set(['target_not_a_page', 'internal']);

/**
 * An unresponsive browser makes a page look slow, and one that is being killed aborts the navigation as a download does. Both
 * are faults of the service, so that the capture may be retried.
 */
async function attributed(failure: AppError, lease: PageLease): Promise<AppError> {
  const { phase, elapsedMs } = failure.facts;
  const crashed = (detail: string): AppError =>
    new AppError('browser_crashed', { detail, phase, elapsedMs, cause: failure.facts.cause });
  if (failure.code === 'capture_timeout' && !(await lease.browserAnswers())) {
    return crashed('The browser no longer answers.');
  }
  if (MIMICKED_ERRORS.has(failure.code) && !(await lease.browserOpensPages())) {
    return crashed('A process of the browser ended during the capture.');
  }
  return failure;
}

type CapturedWithoutTraffic = Omit<Captured, 'traffic'>;

/**
 * Adds the traffic of the egress. The capture fails when the egress ran out of bytes or connections, because the page may then
 * lack any part.
 */
async function metered({ egress }: PageLease, work: Promise<CapturedWithoutTraffic>): Promise<Captured> {
  try {
    const captured = await work;
    const { requests, bytes } = egress.usage();
    const shortage = shortageOf(egress);
    if (shortage) throw shortage;
    const blocked = withForbidden(captured.facts.blocked, { egress });
    return { ...captured, facts: { ...captured.facts, blocked }, traffic: { requests, bytes } };
  } catch (error) {
    throw shortageOf(egress) ?? error;
  }
}

/** Keeps the context for the next capture that shares it. One that failed, met a log-in or had no place for the state leaves none. */
async function keepingContext(
  lease: PageLease,
  { session, storageFill }: Visit,
  work: Promise<Captured>,
): Promise<Captured> {
  const captured = await work;
  if (session?.share === undefined) return captured;
  const rest = await storageFill?.takeRest();
  if (rest === undefined && !isLogInWall(captured.facts)) lease.keepContext();
  return captured;
}

/** Adds the requests that the egress guard refused. */
function withForbidden(blocked: BlockedRequests, { egress }: Pick<PageLease, 'egress'>): BlockedRequests {
  return { ...blocked, forbidden: egress.usage().blocked };
}

function shortageOf(egress: PageLease['egress']): AppError | undefined {
  const { exceeded, starved, unresolved } = egress.usage();
  if (unresolved) return new AppError('dns_unavailable');
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

/** Settles as `work` does, or rejects as soon as the capture has ended or its browser is lost. The pool ends the work. */
function unlessEnded<T>(ended: AbortSignal, lease: PageLease, work: Promise<T>): Promise<T> {
  const lost = lease.lost.then((error): never => {
    throw error;
  });
  return Promise.race([unlessAborted(work, ended), lost]);
}
