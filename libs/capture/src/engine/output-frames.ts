import { FAMILY_HOOKS, type CaptureOptions } from '../request/capture-options.js';
import type { ResolvedOutput } from '../request/resolved-outputs.js';
import type { Visit } from '../pipeline/family.js';
import { OutputError } from './translate-error.js';
import type { OutputGroup, VisitPlan } from './visit-plan.js';

/** What is undone last was done first. */
const BACKWARDS = FAMILY_HOOKS.toReversed();

/**
 * Brings the page into the window of a group of outputs and settles it for them. The page of an output that is alone is there.
 *
 * @param isSettled whether the options of the visit have done so
 */
export async function enterGroup(
  visit: Visit,
  group: OutputGroup,
  { isShared, isSettled }: Pick<VisitPlan, 'isShared'> & { readonly isSettled: boolean },
): Promise<void> {
  // The page has navigated in the meantime, and is rendered again.
  visit.signal.throwIfAborted();
  visit.making.output = group.outputs[0].name;
  if (!isShared) return;
  if (!isSettled) {
    for (const { release } of BACKWARDS) await release?.(visit);
    for (const { settleAgain } of FAMILY_HOOKS) await settleAgain?.(visit, group.options);
  }
  await unframe(visit, group.options);
}

/**
 * Makes the file of an output. It frames a page that outputs share, and undoes what the output has changed, so that the next one shows
 * the page as if it were the only one.
 *
 * @throws OutputError
 */
export async function inFrame<T>(
  visit: Visit,
  { name, options }: ResolvedOutput,
  { isShared, make }: Pick<VisitPlan, 'isShared'> & { readonly make: () => Promise<T> },
): Promise<T> {
  visit.signal.throwIfAborted();
  visit.making.output = name;
  try {
    if (isShared) for (const { frame } of FAMILY_HOOKS) await frame?.(visit, options);
    const file = await make();
    if (isShared) await leaveFrame(visit, options);
    delete visit.making.output;
    return file;
  } catch (error) {
    throw new OutputError(name, error);
  }
}

async function leaveFrame(visit: Visit, options: CaptureOptions): Promise<void> {
  await unframe(visit, options);
  if (options.omit_background) await visit.cdp.send('Emulation.setDefaultBackgroundColorOverride', {});
}

async function unframe(visit: Visit, options: CaptureOptions): Promise<void> {
  for (const { unframe } of BACKWARDS) await unframe?.(visit, options);
}
