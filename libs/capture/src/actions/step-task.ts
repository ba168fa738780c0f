import type { Visit } from '../pipeline/family.js';
import { poll, WaitTimeoutError, type Deadline } from '../pipeline/wait.js';
import type { StepProblem } from './problem.js';
import { waitForElement, type ElementNeed, type ReadyElement } from './ready-element.js';
import type { Step, TypedText, Work } from './step.js';

/** What the steps of a capture share. */
export interface StepContext {
  readonly visit: Visit;
  /** The text to type, and for a secret the only origin that may get it. */
  readonly textOf: (text: TypedText) => { readonly text: string; readonly onlyFor: readonly string[] | null };
}

/** A step, the time until which its element is waited for, and what the steps share. */
export interface StepTask<W extends Work = Work> extends StepContext {
  readonly step: Step;
  readonly work: W;
  readonly until: number;
}

/** One type of work. */
export type WorkOf<Type extends Work['type']> = Extract<Work, { type: Type }>;

/** Waits for the element of a step. */
export function elementOf(
  { visit, step, until }: StepTask,
  needs: ElementNeed['needs'],
  offset?: ElementNeed['offset'],
): Promise<ReadyElement> {
  return waitForElement(visit, step, { needs, offset, until });
}

/** Repeats a check until it is true. */
export async function inTime(
  { visit, until }: Pick<StepTask, 'visit' | 'until'>,
  isOver: () => Promise<boolean>,
  problem: () => StepProblem,
): Promise<void> {
  const deadline: Deadline = { until, message: '' };
  try {
    await poll(visit, deadline, isOver);
  } catch (error) {
    throw error instanceof WaitTimeoutError ? problem() : error;
  }
}
