import { fieldsOf } from '@app/kernel';
import { isPrinted } from '../formats/index.js';
import { FramingOptions, mayGoBeyondWindow, sharedFraming } from '../options/framing.js';
import { CaptureOptions } from '../request/capture-options.js';
import { viewportKey } from '../options/viewport.js';
import type { ResolvedOutput } from '../request/resolved-outputs.js';
import { outputsOf, visitWindowOf, windowIn } from '../request/parse-options.js';

/** Outputs that show the page in the same window. */
export interface OutputGroup {
  /** Those of the visit, in this window and with the framing that they share: the page is scrolled through once, if one needs it. */
  readonly options: CaptureOptions;
  readonly outputs: readonly [ResolvedOutput, ...ResolvedOutput[]];
}

/** What a visit makes, and how it begins. */
export interface VisitPlan {
  /** With which the page is navigated to and settled. */
  readonly options: CaptureOptions;
  /** In the order of the request. */
  readonly outputs: readonly [ResolvedOutput, ...ResolvedOutput[]];
  /** In the order of work. */
  readonly groups: readonly OutputGroup[];
  /** The caller named the outputs, so that errors name the one at fault. */
  readonly isNamed: boolean;
  /** Each output frames the page by itself and leaves it as it was; an output that is alone is framed by the options of the visit. */
  readonly isShared: boolean;
  /** The page is settled for the first group by the options of the visit. */
  readonly beginsSettled: boolean;
}

/**
 * Plans a visit. Its window is that of the capture, or of its first output when the capture states none. Each window is used
 * once, that of the visit first; in a window, what is printed comes last, because printing changes the layout of the page for a while.
 * The page belongs to an output that is alone in this window: it is the same capture whether the caller states it as an output or not.
 */
export function planVisit(options: CaptureOptions): VisitPlan {
  const outputs = outputsOf(options);
  const isNamed = options.outputs.length > 0;
  const window = visitWindowOf(options, outputs);
  const key = viewportKey(window);
  const [{ options: first }] = outputs;
  if (outputs.length === 1 && viewportKey(first) === key) {
    const groups = [{ options: first, outputs }];
    return { options: first, outputs, groups, isNamed, isShared: false, beginsSettled: true };
  }
  const alike = groupsOf(outputs).sort((one, other) => Number(other.key === key) - Number(one.key === key));
  const beginsSettled = alike[0]?.key === key;
  const framing = beginsSettled ? alike[0]?.framing : new FramingOptions();
  const isBeyondWindow = outputs.some((output) => mayGoBeyondWindow(output.options));
  const visit = Object.assign(settledWith(options, window, framing), { isBeyondWindow });
  const groups = alike.map((group) => ({
    options: settledWith(visit, windowIn(group.outputs[0].options), group.framing),
    outputs: group.outputs,
  }));
  return { options: visit, outputs, groups, isNamed, isShared: true, beginsSettled };
}

const namesOf = (type: new () => object): string[] => fieldsOf(type).map(({ name }) => name);
const FRAMING = namesOf(FramingOptions);

/** The options in another window and with another framing. */
function settledWith(
  options: CaptureOptions,
  window: Partial<CaptureOptions>,
  framing: FramingOptions | undefined,
): CaptureOptions {
  return Object.assign(new CaptureOptions(), { ...options, ...unset(FRAMING), ...window, ...framing });
}

function unset(names: readonly string[]): object {
  return Object.fromEntries(names.map((name) => [name, undefined]));
}

interface AlikeOutputs extends Pick<OutputGroup, 'outputs'> {
  /** Equal for outputs in the same window. */
  readonly key: string;
  readonly framing: FramingOptions;
}

function groupsOf(outputs: readonly ResolvedOutput[]): AlikeOutputs[] {
  const byKey = Map.groupBy(outputs, ({ options }) => viewportKey(options));
  return [...byKey].flatMap(([key, members]) => {
    const [first, ...others] = [
      ...members.filter(({ options }) => !isPrinted(options.format)),
      ...members.filter(({ options }) => isPrinted(options.format)),
    ];
    if (!first) return [];
    const framing = sharedFraming(members.map(({ options }) => options));
    return [{ key, framing, outputs: [first, ...others] as const }];
  });
}
