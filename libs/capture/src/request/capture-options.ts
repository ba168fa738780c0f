import { compose } from '@app/kernel';
import { classesOf, type FamilyHooks } from '../pipeline/family.js';
import { optionSpecsOf, type OptionSpec } from '../pipeline/option-fields.js';
import { actions } from '../options/actions.js';
import { animations } from '../options/animations.js';
import { blocking } from '../options/blocking.js';
import { cache } from '../options/cache.js';
import { comparison } from '../options/comparison.js';
import { consent } from '../options/consent.js';
import { delivery } from './delivery.js';
import { emulation } from '../options/emulation.js';
import { failure } from '../options/failure.js';
import { framing } from '../options/framing.js';
import { image } from '../options/image.js';
import { output } from './output.js';
import { outputs } from './outputs.js';
import { pageChanges } from '../options/page-changes.js';
import { pdf } from '../options/pdf.js';
import { report } from '../options/report.js';
import { session } from '../options/session.js';
import { stability } from '../options/stability.js';
import { slicing } from '../options/slicing.js';
import { target } from '../options/target.js';
import { viewport } from '../options/viewport.js';
import { waiting } from '../options/waiting.js';

/** All option families. Their order is the order of work in each phase of a visit and of the documentation. */
export const FAMILIES = [
  target,
  output,
  image,
  viewport,
  emulation,
  session,
  blocking,
  consent,
  pageChanges,
  actions,
  // A step may cause what the waits wait for.
  waiting,
  framing,
  slicing,
  animations,
  // The page stands still from here on.
  stability,
  // Conditions are checked on the page as it is captured.
  failure,
  pdf,
  outputs,
  report,
  comparison,
  cache,
  delivery,
] as const;

/** All options of a capture: in a request, a row of a batch, a stored job and the engine. */
export const CaptureOptions = compose('CaptureOptions', classesOf(FAMILIES));
export type CaptureOptions = InstanceType<typeof CaptureOptions>;

/** What the families do in a visit, in the order of work. Each sees the options of all families, and uses its own. */
export const FAMILY_HOOKS: readonly FamilyHooks<CaptureOptions>[] = [...FAMILIES];

/** Every option by its name, with its exposure, in the order of the documentation. */
export const OPTIONS: ReadonlyMap<string, OptionSpec> = new Map(
  FAMILIES.flatMap(({ type }) => optionSpecsOf(type)).map((spec) => [spec.name, spec]),
);
