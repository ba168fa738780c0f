import { setTimeout as delay } from 'node:timers/promises';
import { PageScriptError, type IsolatedWorld } from '../pipeline/in-page.js';
import { isTruthy } from '../pipeline/truthy-expression.js';
import { WaitTimeoutError } from '../pipeline/wait.js';
import { NETWORK_IDLE, waitForNetworkIdle } from '../readiness/idle.js';
import { LOOK } from './element-look.js';
import { countElements, findElement } from './find-element.js';
import { onElement } from './page-element.js';
import { StepProblem } from './problem.js';
import { isTransient } from './ready-element.js';
import type { Count, WaitGoal } from './step.js';
import { openFrame } from './step-frame.js';
import { inTime, type StepTask, type WorkOf } from './step-task.js';

/** Waits for what a step of the type `wait` names. */
export async function waitFor(task: StepTask<WorkOf<'wait'>>): Promise<void> {
  const { visit, work, until } = task;
  const goal: WaitGoal = work.for;
  switch (goal.kind) {
    case 'time':
      return delay(goal.ms, undefined, { signal: visit.signal });
    case 'idle': {
      const message = 'expected no requests for 500 ms, but the page kept requesting';
      return asProblem(waitForNetworkIdle(visit, NETWORK_IDLE, { until, message }));
    }
    case 'function':
      return inTime(
        task,
        () => isTruthy(visit, goal.expression),
        () => new StepProblem('not_in_time', 'expected the function to become truthy, but it did not'),
      );
    case 'element':
      return inTime(
        task,
        () => isInState(task, goal),
        () =>
          new StepProblem(
            goal.state === 'hidden' ? 'not_in_time' : 'no_element',
            `expected ${countOf(goal)} ${goal.state} that matches ${task.step.selectors[0] ?? ''}, but there was none in time`,
          ),
      );
    default:
      return goal satisfies never;
  }
}

type ElementGoal = Extract<WaitGoal, { kind: 'element' }>;

function countOf({ count }: ElementGoal): string {
  return count === undefined ? 'an element' : `${count.operator} ${count.number} elements`;
}

async function isInState({ visit, step }: StepTask, { state, count }: ElementGoal): Promise<boolean> {
  try {
    const { world } = await openFrame(visit, step.frame);
    if (count !== undefined && !(await isCounted(world, step.selectors, count))) return false;
    if (count?.number === 0) return true;
    const element = await findElement(world, step.selectors);
    if (state === 'attached') return element !== null;
    const look = element && (await onElement(element, LOOK, { needs: 'display', offset: null, align: null }));
    return (look?.state === 'ready') === (state === 'visible');
  } catch (error) {
    // A frame that is gone has no elements.
    if (error instanceof StepProblem && error.kind === 'no_frame') return state === 'hidden';
    if (isTransient(error) && !(error instanceof PageScriptError)) return false;
    throw error;
  }
}

/** Whether one of the selectors finds as many elements. */
async function isCounted(
  world: IsolatedWorld,
  selectors: readonly string[],
  { operator, number }: Count,
): Promise<boolean> {
  for (const selector of selectors) {
    const found = await countElements(world, selector);
    if (operator === '==' ? found === number : operator === '>=' ? found >= number : found <= number)
      return true;
  }
  return false;
}

async function asProblem(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    throw error instanceof WaitTimeoutError ? new StepProblem('not_in_time', error.message) : error;
  }
}
