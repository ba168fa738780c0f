import { setTimeout as delay } from 'node:timers/promises';
import { AppError, type Fault } from '@app/kernel';
import { markIncomplete } from '../record/completeness.js';
import { sumOfWaits } from '../record/readiness.js';
import { defineFamily, type Visit } from '../pipeline/family.js';
import { Choice, Text, Whole } from '../pipeline/option-fields.js';
import { inPage, PageScriptError, type SafeAccess } from '../pipeline/in-page.js';
import { isTruthy } from '../pipeline/truthy-expression.js';
import { poll, WaitTimeoutError, withDeadline, type Deadline } from '../pipeline/wait.js';
import { NETWORK_IDLE, waitForNetworkIdle } from '../readiness/idle.js';
import { waitUntilReady, watchReadiness } from '../readiness/readiness.js';
import { MAX_SELECTOR_LENGTH, selectorFault } from '../pipeline/selector-rule.js';

const MOMENTS = ['load', 'domcontentloaded', 'networkidle', 'auto'] as const;
const SELECTOR_STATES = ['visible', 'hidden', 'attached'] as const;

export class WaitingOptions {
  @Choice(
    MOMENTS,
    'The moment of loading to wait for, also after `js` and clicks. `networkidle`: no requests for 500 ms. `auto`: the page is ready. A page that is complete and quiet when it has loaded is not waited for. One that is blank, shows a spinner or skeletons, waits for a WebSocket or an EventSource, types a text, or is still being drawn is waited for until its content is there, for at most `ready_timeout_ms`; `readiness.waited_for` in the record names what was waited for. A load that hangs counts as loaded 3 seconds after DOMContentLoaded.',
    { exposure: 'public' },
  )
  wait_until: (typeof MOMENTS)[number] = 'auto';

  @Whole(
    'Maximum time in ms that `wait_until: auto` waits beyond the load, and again after `js` and clicks. Then the page is captured as it is, and `readiness` in the record shows what was missing; `on_timeout` and `complete` do not depend on it. 0 means no wait.',
    { exposure: 'public', min: 0, max: 30_000 },
  )
  ready_timeout_ms = 5_000;

  @Text('CSS selector of an element to wait for.', {
    exposure: 'public',
    max: MAX_SELECTOR_LENGTH,
    check: selectorFault,
    example: '#chart svg',
  })
  wait_for_selector?: string;

  @Choice(
    SELECTOR_STATES,
    'What `wait_for_selector` waits for: the element is visible, is hidden or gone, or is in the document.',
    { exposure: 'public' },
  )
  wait_for_selector_state: (typeof SELECTOR_STATES)[number] = 'visible';

  @Text('JavaScript expression to wait for until it is truthy. A promise is awaited.', {
    exposure: 'script',
    max: 10_000,
    check: expressionFault,
    example: 'window.chartReady === true',
  })
  wait_for_function?: string;

  @Whole('Additional wait in ms, after all other waits.', {
    exposure: 'public',
    min: 0,
    max: 30_000,
    alsoCalled: ['delay', 'wait', 'wait_ms', 'sleep', 'wait_for_timeout'],
  })
  delay_ms = 0;

  @Whole('Maximum time in ms for the page to reach `wait_until`.', {
    exposure: 'public',
    min: 1_000,
    max: 120_000,
  })
  navigation_timeout_ms = 30_000;

  @Whole('Maximum time in ms for the whole capture.', {
    exposure: 'public',
    min: 1_000,
    max: 120_000,
    alsoCalled: ['timeout'],
  })
  timeout_ms = 60_000;

  @Choice(
    ['fail', 'capture'],
    'What to do when a wait times out or the document is cut off: fail with `capture_timeout` or `target_connection_failed`, or capture what has loaded (`complete` is then false).',
    { exposure: 'public' },
  )
  on_timeout: 'fail' | 'capture' = 'fail';
}

/** Most often the text of a variable that had no value. */
const NEVER_TRUTHY = /^(?:undefined|null|false|NaN|-?0|''|""|``)?$/;

export function expressionFault(text: string): string | undefined {
  return NEVER_TRUTHY.test(text.replace(/;\s*$/, '').trim())
    ? 'must be an expression that can become truthy, such as window.chartReady === true'
    : undefined;
}

function check(options: WaitingOptions, given: ReadonlySet<string>): Fault[] {
  const faults: Fault[] = [];
  if (options.delay_ms >= options.timeout_ms) {
    faults.push({ pointer: '/delay_ms', code: 'conflict', detail: 'must be less than timeout_ms' });
  }
  if (given.has('wait_for_selector_state') && options.wait_for_selector === undefined) {
    faults.push({
      pointer: '/wait_for_selector_state',
      code: 'conflict',
      detail: 'needs wait_for_selector',
    });
  }
  return faults;
}

/** Reserved at the end, so that a wait times out with an error of its own before the deadline of the capture. */
const REPORT_MS = 250;
/** Reserved for rendering when the page is captured after a timeout. */
const RENDER_MS = 10_000;

/** The time in ms that waits may still take. */
export function waitBudgetMs(visit: Visit, options: WaitingOptions): number {
  const reserve = options.on_timeout === 'capture' ? Math.min(RENDER_MS, options.timeout_ms / 4) : REPORT_MS;
  return Math.max(0, visit.remainingMs() - reserve);
}

/** Handles the timeout of a wait: fails the capture, or marks it as incomplete. */
export function onWaitTimeout(visit: Visit, options: WaitingOptions, message: string): void {
  if (options.on_timeout === 'fail') throw new AppError('capture_timeout', { detail: message });
  markIncomplete(visit.facts, 'wait_timed_out');
}

/** Waits, for a bounded time, until the page is ready, when `wait_until` is `auto`. */
async function waitAfterLoad(visit: Visit, options: WaitingOptions): Promise<void> {
  if (options.wait_until === 'auto') await waitForReadiness(visit, options, 'load');
}

async function waitForReadiness(
  visit: Visit,
  options: WaitingOptions,
  after: 'load' | 'action',
): Promise<void> {
  // The page is captured even when it is not ready in time, whatever `on_timeout` is: that takes time as well.
  const budgetMs = waitBudgetMs(visit, { ...options, on_timeout: 'capture' });
  const until = performance.now() + Math.min(options.ready_timeout_ms, budgetMs);
  const report = await waitUntilReady(visit, after, until);
  visit.facts.readiness = { ...report, ...sumOfWaits(visit.facts.readiness, report) };
}

/** Waits for `wait_until` again, because actions may have caused requests. */
async function waitUntilAgain(visit: Visit, options: WaitingOptions, until: number): Promise<void> {
  if (options.wait_until === 'auto') await waitForReadiness(visit, options, 'action');
  if (options.wait_until !== 'networkidle') return;
  const bound = Math.min(until, performance.now() + options.navigation_timeout_ms);
  const message = 'The page did not reach networkidle again after js or a click.';
  await waitForNetworkIdle(visit, NETWORK_IDLE, { until: bound, message });
}

async function prepare(visit: Visit, { wait_until }: WaitingOptions): Promise<void> {
  if (wait_until === 'auto') await watchReadiness(visit);
}

async function settle(visit: Visit, options: WaitingOptions): Promise<void> {
  const until = performance.now() + waitBudgetMs(visit, options);
  try {
    if (visit.activity?.hasActed) await waitUntilAgain(visit, options, until);
    if (options.wait_for_selector !== undefined) {
      const state = options.wait_for_selector_state;
      await waitForSelector(visit, { selector: options.wait_for_selector, state }, until);
    }
    if (options.wait_for_function !== undefined) {
      await waitForExpression(visit, options.wait_for_function, until);
    }
    if (options.delay_ms > 0) {
      const wait = { until, message: 'The time ran out before delay_ms was over.' };
      await withDeadline(wait, delay(options.delay_ms, undefined, { signal: visit.signal }));
    }
  } catch (error) {
    if (!(error instanceof WaitTimeoutError)) throw error;
    onWaitTimeout(visit, options, error.message);
  }
}

interface ElementCondition {
  readonly selector: string;
  readonly state: WaitingOptions['wait_for_selector_state'];
}

async function waitForSelector(
  visit: Visit,
  { selector, state }: ElementCondition,
  until: number,
): Promise<void> {
  const message = `The element of wait_for_selector (${selector}) was not ${state} in time.`;
  await poll(visit, { until, message }, async () => {
    try {
      return await inPage(visit, isInState, { selector, state });
    } catch (error) {
      if (!(error instanceof PageScriptError)) throw error;
      const detail = `The browser does not take wait_for_selector (${selector}) as a selector.`;
      throw new AppError('selector_not_found', { detail, cause: error });
    }
  });
}

/** Runs in the page. */
function isInState({ selector, state }: ElementCondition, safe: SafeAccess): boolean {
  const found = [...safe(document).querySelectorAll(selector)].map(safe);
  if (state === 'attached') return found.length > 0;
  const isSeen = found.some((element) => {
    const { width, height } = element.getBoundingClientRect();
    return width > 0 && height > 0 && element.checkVisibility({ visibilityProperty: true });
  });
  return state === 'visible' ? isSeen : !isSeen;
}

async function waitForExpression(visit: Visit, expression: string, until: number): Promise<void> {
  const deadline: Deadline = { until, message: 'wait_for_function did not become true in time.' };
  await poll(visit, deadline, async () => {
    try {
      return await isTruthy(visit, expression);
    } catch (error) {
      if (!(error instanceof PageScriptError)) throw error;
      throw new AppError('script_failed', { detail: `wait_for_function: ${error.message}`, cause: error });
    }
  });
}

export const waiting = defineFamily(
  { name: 'waiting', doc: 'When the page is ready to be captured.' },
  WaitingOptions,
  {
    check,
    prepare,
    loaded: waitAfterLoad,
    settle,
  },
);
