import { completeRequest, requestOf, type FormState } from '../form/form-state.js';
import { OPTIONS, type Values } from '../form/options.js';

/** The option that states the steps. */
export type StepsOption = 'actions' | 'recording';

/** A picture between two steps shows the window as it is: nothing waits for, cuts or judges the page of the last step. */
const KEPT_FAMILIES: readonly string[] = [
  'target',
  'viewport',
  'emulation',
  'session',
  'blocking',
  'consent',
  'page changes',
  'actions',
];
const KEPT: readonly string[] = [
  'wait_until',
  'ready_timeout_ms',
  'navigation_timeout_ms',
  'timeout_ms',
  'on_timeout',
];

/** The request that shows the page after the step with this number. */
export function stepRequest(
  { target, values }: Pick<FormState, 'target' | 'values'>,
  option: StepsOption,
  index: number,
): Values {
  const isKept = (name: string): boolean =>
    KEPT.includes(name) || KEPT_FAMILIES.includes(OPTIONS.get(name)?.family ?? '');
  const { actions, recording, ...others } = Object.fromEntries(
    Object.entries(values).filter(([name]) => isKept(name)),
  );
  const steps =
    option === 'actions'
      ? { actions: firstOf(actions, index) }
      : { recording: { ...(recording as object), steps: firstOf(stepsIn(recording), index) } };
  return completeRequest(requestOf({ target, values: { ...others, ...steps, on_failure_picture: true } }));
}

function stepsIn(recording: unknown): unknown {
  return (recording as { steps?: unknown } | undefined)?.steps;
}

function firstOf(steps: unknown, index: number): readonly unknown[] {
  return Array.isArray(steps) ? steps.slice(0, index + 1) : [];
}
