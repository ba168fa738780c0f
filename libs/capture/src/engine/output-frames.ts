import { frame, framing, unframe } from '../options/framing.js';
import { hold, release } from '../options/stability.js';
import { changeViewport } from '../options/viewport.js';
import type { ResolvedOutput } from '../request/resolved-outputs.js';
import { sumOfWaits } from '../record/readiness.js';
import type { Visit } from '../pipeline/family.js';
import { waitForFonts } from '../readiness/idle.js';
import { scrollToStart } from '../full-page/page-undo.js';
import { settleLayout } from '../readiness/settle-layout.js';
import { OutputError } from './translate-error.js';
import type { OutputGroup, VisitPlan } from './visit-plan.js';

/** Maximum wait for scripts that react to a new window, where `ready_timeout_ms` does not say it. */
const QUIET_MS = 3_000;
/** Maximum wait for fonts that only the new layout shows. */
const FONTS_MS = 3_000;

/**
 * Brings the page into the window of a group of outputs and settles it for them.
 *
 * @param isSettled whether the options of the visit have done so
 */
export async function enterGroup(
  visit: Visit,
  group: OutputGroup,
  { plan, isSettled }: { readonly plan: VisitPlan; readonly isSettled: boolean },
): Promise<void> {
  // The page has navigated in the meantime, and is rendered again.
  visit.signal.throwIfAborted();
  visit.making.output = group.outputs[0].name;
  if (!isSettled) {
    await release(visit);
    await visit.animations?.release();
    await takeWindow(visit, group, plan);
    await framing.settle?.(visit, group.framing);
    await waitForFonts(visit, performance.now() + Math.min(FONTS_MS, visit.remainingMs() / 3));
    await hold(visit);
  }
  await unframe(visit, group.framing);
}

async function takeWindow(visit: Visit, { window }: OutputGroup, { options }: VisitPlan): Promise<void> {
  const quietMs = options.wait_until === 'auto' ? options.ready_timeout_ms : QUIET_MS;
  const change = (): Promise<void> => changeViewport(visit, window);
  const readiness = await settleLayout(visit, change, quietMs);
  await scrollToStart(visit, false);
  const { facts } = visit;
  if (!readiness || !facts.readiness) return;
  // The record says what was missing wherever something was.
  const worse = readiness.by === 'timeout' ? readiness : facts.readiness;
  facts.readiness = { ...worse, ...sumOfWaits(facts.readiness, readiness) };
}

/**
 * Frames the page for an output, makes its file, and undoes what the output has changed, so that the next one shows the page as
 * if it were the only one.
 *
 * @throws OutputError
 */
export async function inFrame<T>(
  visit: Visit,
  { name, options }: ResolvedOutput,
  make: () => Promise<T>,
): Promise<T> {
  visit.signal.throwIfAborted();
  visit.making.output = name;
  try {
    await frame(visit, options);
    const file = await make();
    await unframe(visit, options);
    if (options.omit_background) await visit.cdp.send('Emulation.setDefaultBackgroundColorOverride', {});
    delete visit.making.output;
    return file;
  } catch (error) {
    throw new OutputError(name, error);
  }
}
