import { compose } from '@app/kernel';
import { classesOf } from '../pipeline/family.js';
import { optionSpecsOf, type OptionSpec } from '../pipeline/option-fields.js';
import { animations } from './animations.js';
import { blocking } from './blocking.js';
import { cache } from './cache.js';
import { comparison } from './comparison.js';
import { consent } from './consent.js';
import { delivery } from './delivery.js';
import { emulation } from './emulation.js';
import { failure } from './failure.js';
import { framing } from './framing.js';
import { image } from './image.js';
import { output } from './output.js';
import { outputs } from './outputs.js';
import { pageChanges } from './page-changes.js';
import { pdf } from './pdf.js';
import { report } from './report.js';
import { session } from './session.js';
import { stability } from './stability.js';
import { target } from './target.js';
import { viewport } from './viewport.js';
import { waiting } from './waiting.js';

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
  // A click may cause what the waits wait for.
  waiting,
  framing,
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

/** Every option by its name, with its exposure, in the order of the documentation. */
export const OPTIONS: ReadonlyMap<string, OptionSpec> = new Map(
  FAMILIES.flatMap(({ type }) => optionSpecsOf(type)).map((spec) => [spec.name, spec]),
);
