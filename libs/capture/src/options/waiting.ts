import { setTimeout as delay } from 'node:timers/promises';
import { AppError, Choice, Text, Whole, type Fault } from '@app/kernel';
import { defineFamily, type Visit } from '../pipeline/family.js';
import { boundedScript, outcomeOf } from '../pipeline/bounded-script.js';
import { evaluateInMainWorld, inPage, PageScriptError, type SafeAccess } from '../pipeline/in-page.js';
import { withDeadline, poll, waitForRequests, type Deadline, WaitTimeoutError } from '../pipeline/wait.js';
import { NETWORK_IDLE, waitForNetworkIdle, waitForIdle, SETTLE_MS } from '../pipeline/idle.js';
import { MAX_SELECTOR_LENGTH, selectorFault } from './selector-rule.js';

const MOMENTS = ['load', 'domcontentloaded', 'networkidle', 'auto'] as const;
const SELECTOR_STATES = ['visible', 'hidden', 'attached'] as const;

export class WaitingOptions {
  @Choice(
    MOMENTS,
    'The moment of loading to wait for, and again after `js` and clicks. `networkidle`: no request for 500 ms. `auto`: loaded, fonts ready, and network and DOM quiet, in bounded time.',
  )
  wait_until: (typeof MOMENTS)[number] = 'load';

  @Text('CSS selector of an element to wait for.', {
    max: MAX_SELECTOR_LENGTH,
    check: selectorFault,
    example: '#chart svg',
  })
  wait_for_selector?: string;

  @Choice(
    SELECTOR_STATES,
    'What `wait_for_selector` waits for: its element is visible, is gone, or is in the document.',
  )
  wait_for_selector_state: (typeof SELECTOR_STATES)[number] = 'visible';

  @Text('JavaScript expression to wait for until it is truthy; a promise is awaited.', {
    max: 10_000,
    example: 'window.chartReady === true',
  })
  wait_for_function?: string;

  @Whole('Time in ms to wait after all other waits.', { min: 0, max: 30_000 })
  delay_ms = 0;

  @Whole('Time in ms for the page to reach `wait_until`.', { min: 1_000, max: 120_000 })
  navigation_timeout_ms = 30_000;

  @Whole('Time in ms for the capture as a whole.', { min: 1_000, max: 120_000 })
  timeout_ms = 60_000;

  @Choice(
    ['fail', 'capture'],
    'What to do when a wait runs out or the document breaks off: fail with `capture_timeout` or `target_connection_failed`, or capture what is there (`complete` is then false).',
  )
  on_timeout: 'fail' | 'capture' = 'fail';
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

/** Kept back from the waits, so that they run out with a word on which one it was before the deadline cuts all short. */
const REPORT_MS = 250;
/** Kept back when what is there is to be captured after the waits. */
const RENDER_MS = 10_000;

/** Time in ms that the waits may take from now on. */
export function waitBudgetMs(visit: Visit, options: WaitingOptions): number {
  const reserve = options.on_timeout === 'capture' ? Math.min(RENDER_MS, options.timeout_ms / 4) : REPORT_MS;
  return Math.max(0, visit.remainingMs() - reserve);
}

/** What happens when a wait ran out: an error, or a capture that says it is not complete. */
export function onWaitTimeout(visit: Visit, options: WaitingOptions, message: string): void {
  if (options.on_timeout === 'fail') throw new AppError('capture_timeout', { detail: message });
  visit.facts.complete = false;
}

/** Waits, in bounded time, for what `auto` asks for beyond the load. */
export async function waitAfterLoad(visit: Visit, options: WaitingOptions): Promise<void> {
  if (options.wait_until === 'auto')
    await waitForIdle(visit, performance.now() + waitBudgetMs(visit, options));
}

/** What was done to the page since it reached `wait_until` may have set off more. */
async function quietAgain(visit: Visit, options: WaitingOptions, until: number): Promise<void> {
  if (options.wait_until === 'auto') {
    await waitForRequests(visit, Math.min(until, performance.now() + SETTLE_MS));
    await waitForIdle(visit, until);
  }
  if (options.wait_until !== 'networkidle') return;
  const bound = Math.min(until, performance.now() + options.navigation_timeout_ms);
  const message = 'The page did not reach networkidle again after js or a click.';
  await waitForNetworkIdle(visit, NETWORK_IDLE, { until: bound, message });
}

async function settle(visit: Visit, options: WaitingOptions): Promise<void> {
  const until = performance.now() + waitBudgetMs(visit, options);
  try {
    if (visit.activity?.hasActed) await quietAgain(visit, options, until);
    if (options.wait_for_selector !== undefined) {
      const state = options.wait_for_selector_state;
      await awaitSelector(visit, { selector: options.wait_for_selector, state }, until);
    }
    if (options.wait_for_function !== undefined) {
      await awaitExpression(visit, options.wait_for_function, until);
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

interface AwaitedElement {
  readonly selector: string;
  readonly state: WaitingOptions['wait_for_selector_state'];
}

async function awaitSelector(
  visit: Visit,
  { selector, state }: AwaitedElement,
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
function isInState({ selector, state }: AwaitedElement, safe: SafeAccess): boolean {
  const found = [...safe(document).querySelectorAll(selector)].map(safe);
  if (state === 'attached') return found.length > 0;
  const isSeen = found.some((element) => {
    const { width, height } = element.getBoundingClientRect();
    return width > 0 && height > 0 && element.checkVisibility({ visibilityProperty: true });
  });
  return state === 'visible' ? isSeen : !isSeen;
}

async function awaitExpression(visit: Visit, expression: string, until: number): Promise<void> {
  // On lines of its own, so that a comment at the end of it comments out nothing else.
  const truth = boundedScript(`const value = await (\n${expression.replace(/;\s*$/, '')}\n);
    return !!(typeof value === 'function' ? await value() : value);`);
  const wait: Deadline = { until, message: 'wait_for_function did not become true in time.' };
  await poll(visit, wait, async () => {
    try {
      return outcomeOf(await evaluateInMainWorld(visit, truth));
    } catch (error) {
      if (!(error instanceof PageScriptError)) throw error;
      throw new AppError('script_failed', { detail: `wait_for_function: ${error.message}`, cause: error });
    }
  });
}

export const waiting = defineFamily({ name: 'waiting', doc: 'When the page is ready.' }, WaitingOptions, {
  check,
  settle,
});
