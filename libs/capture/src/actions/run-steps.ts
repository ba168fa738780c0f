import type { Protocol } from 'puppeteer';
import { AppError, boundText } from '@app/kernel';
import type { ActionReport } from '../record/actions.js';
import type { Visit } from '../pipeline/family.js';
import { PageScriptError } from '../pipeline/in-page.js';
import type { LoadMoment } from '../pipeline/is-loaded.js';
import { PageNavigation } from '../pipeline/page-navigation.js';
import { WaitTimeoutError, withDeadline, type Deadline } from '../pipeline/wait.js';
import { OBJECT_GROUP } from './page-element.js';
import { performStep } from './perform-step.js';
import { StepProblem } from './problem.js';
import { isTransient } from './ready-element.js';
import type { Step } from './step.js';
import type { StepContext } from './step-task.js';

/** A page that does not respond is waited for this long after the time of a step. */
const BUSY_MS = 1_000;

/** What the options of a capture say about its steps. */
export interface StepRun extends Pick<StepContext, 'textOf'> {
  readonly moment: LoadMoment;
  /** Time in ms that steps, and the pages that they open, may still take. */
  readonly budgetMs: () => number;
  /** Time in ms that a page may take to load. */
  readonly loadMs: number;
  /** Called when a page that a step has opened does not load in time. */
  readonly onLoadTimeout: (message: string) => void;
}

/**
 * Performs the steps one after the other, and reports each in the facts of the visit.
 *
 * @throws AppError `action_failed` with the pointer of the step; the usual errors of a page that cannot be reached
 */
export async function runSteps(visit: Visit, steps: readonly Step[], run: StepRun): Promise<void> {
  const reports: ActionReport[] = [];
  visit.facts.actions = reports;
  const navigation = new PageNavigation(visit, run.moment);
  const onWindow = ({ userGesture }: Protocol.Page.WindowOpenEvent): void => {
    const report = reports.at(-1);
    // The browser opens no other windows.
    if (report && userGesture) report.opened_tabs = (report.opened_tabs ?? 0) + 1;
  };
  visit.cdp.on('Page.windowOpen', onWindow);
  navigation.start();
  try {
    for (const step of steps) await new StepRunner(visit, run, navigation).run(step, reports);
  } finally {
    navigation.stop();
    visit.cdp.off('Page.windowOpen', onWindow);
  }
}

/** Performs one step. */
class StepRunner {
  constructor(
    private readonly visit: Visit,
    private readonly options: StepRun,
    private readonly navigation: PageNavigation,
  ) {}

  async run(step: Step, reports: ActionReport[]): Promise<void> {
    const started = performance.now();
    const report: ActionReport = { index: step.index, type: step.work.type, ms: 0, done: false };
    reports.push(report);
    try {
      await this.perform(step);
      await this.follow();
      report.done = true;
    } catch (error) {
      const problem = problemOf(error);
      if (!problem) throw error;
      report.problem = boundText('message', this.hidden(problem.message));
      if (!step.isOptional || !problem.isMissing) throw this.failure(step, problem);
    } finally {
      report.ms = Math.round(performance.now() - started);
    }
  }

  private async perform(step: Step): Promise<void> {
    const { visit, options } = this;
    const until = performance.now() + Math.min(step.timeoutMs, options.budgetMs());
    visit.motion = undefined;
    visit.activity?.act();
    const work = performStep({ visit, step, work: step.work, until, textOf: options.textOf });
    if (NAVIGATING.has(step.work.type)) return this.whileLoading((deadline) => withDeadline(deadline, work));
    const message = 'the page did not respond in time';
    await withDeadline({ until: until + waitedMs(step) + BUSY_MS, message }, work);
    visit.activity?.act();
  }

  /** Follows the page when the step has made it navigate. */
  private async follow(): Promise<void> {
    let hasNavigated = true;
    await this.whileLoading(async (deadline) => {
      hasNavigated = await this.navigation.follow(deadline);
    });
    if (!hasNavigated) return;
    this.visit.activity?.forget();
    await this.visit.restyle?.();
  }

  /** Does what ends with the load of another page, which may take as long as that of the first one. */
  private async whileLoading(work: (deadline: Deadline) => Promise<void>): Promise<void> {
    const { visit, options } = this;
    const message = 'The page that a step of actions opened did not load in time.';
    const until = performance.now() + Math.min(options.loadMs, options.budgetMs());
    try {
      await work({ until, message });
    } catch (error) {
      if (!(error instanceof WaitTimeoutError)) throw error;
      options.onLoadTimeout(error.message);
      await visit.cdp.send('Page.stopLoading');
    }
  }

  private failure({ pointer, work }: Step, problem: StepProblem): AppError {
    const detail = boundText('message', this.hidden(problem.message));
    return new AppError('action_failed', {
      detail: `${pointer.slice(1)} (${work.type}): ${detail}`,
      errors: [{ pointer, code: problem.kind, detail }],
    });
  }

  /** The page may put a secret into a name that a problem quotes. */
  private hidden(text: string): string {
    return this.visit.redact?.(text) ?? text;
  }
}

/** The steps that navigate by themselves. */
const NAVIGATING: ReadonlySet<string> = new Set(['navigate', 'reload', 'back']);

/** A step that waits for a time takes it. */
function waitedMs({ work }: Step): number {
  return work.type === 'wait' && work.for.kind === 'time' ? work.for.ms : 0;
}

/** What kept the step, if it is the page; undefined for other errors. */
function problemOf(error: unknown): StepProblem | undefined {
  if (error instanceof StepProblem) return error;
  if (error instanceof WaitTimeoutError) return new StepProblem('not_in_time', error.message);
  if (error instanceof PageScriptError) return new StepProblem('not_in_time', error.message);
  if (isTransient(error))
    return new StepProblem('detached', 'the document of the element was replaced meanwhile');
  return undefined;
}

/** Lets the browser forget the elements of the steps. */
export async function releaseElements({ cdp }: Visit): Promise<void> {
  await cdp.send('Runtime.releaseObjectGroup', { objectGroup: OBJECT_GROUP });
}
