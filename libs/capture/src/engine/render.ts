import { AppError, withTimeout } from '@app/kernel';
import type { CapturedFile } from '../captured.js';
import { FORMATS, type Format } from '../formats/index.js';
import { readMetadata } from '../metadata/read-metadata.js';
import type { CaptureOptions } from '../options/index.js';
import type { ResolvedOutput } from '../outputs.js';
import { measurePage } from '../pipeline/capture-area.js';
import { noFacts, type FileFacts } from '../facts.js';
import type { Visit } from '../pipeline/family.js';
import type { Render, Rendered } from '../pipeline/format.js';
import { untilAgreed } from '../stability/agreeing-files.js';
import type { DrawnPicture } from '../verdict/blank-page.js';
import type { Clues } from '../verdict/judge-signs.js';
import { checkVerdict, judgeBySigns, judgeFile } from '../verdict/judge-page.js';
import { enterGroup, inFrame } from './output-frames.js';
import type { VisitPlan } from './visit-plan.js';

/** Each format sees the options of all families, and uses its own. */
const formats: Readonly<Record<Format, { readonly render: Render<CaptureOptions> }>> = FORMATS;

/** Maximum wait for a page that is busy, before it is rendered and after. */
const JUDGE_MS = 1_000;

type Files = readonly [CapturedFile, ...CapturedFile[]];

/** What is rendered, and within which size. */
interface RenderTask {
  readonly plan: VisitPlan;
  /** Maximum size of all files together. */
  readonly maxBytes: number;
  /** The page has navigated since it was settled. */
  readonly isAgain: boolean;
}

/**
 * Renders each output and records the facts of the first file.
 *
 * @throws AppError `resource_limit` for more than `maxBytes`, `condition_failed` for a verdict of `fail_on_verdict`
 */
export async function render(visit: Visit, task: RenderTask): Promise<Files> {
  const { plan, maxBytes, isAgain } = task;
  const verdict = new PageVerdict(visit, plan);
  await verdict.checkSigns();
  // The page as it is now is read while it is rendered.
  const reading = plan.options.metadata ? readMetadata(visit) : null;
  const files = new Map<ResolvedOutput, CapturedFile>();
  let left = maxBytes;
  for (const group of plan.groups) {
    const isSettled = plan.beginsSettled && group === plan.groups[0] && !isAgain;
    if (plan.hasOutputs) await enterGroup(visit, group, { plan, isSettled });
    for (const output of group.outputs) {
      const make = (): Promise<RenderedOutput> => renderOutput(visit, output, { left, maxBytes });
      const { file, picture } = await (plan.hasOutputs ? inFrame(visit, output, make) : make());
      left -= file.bytes.length;
      files.set(output, file);
      if (output === verdict.output) await verdict.checkFile(file, picture);
      visit.facts.page = await reading;
    }
  }
  const [first, ...others] = plan.outputs.flatMap((output) => files.get(output) ?? []);
  if (!first) throw new RangeError('No output was rendered');
  Object.assign(visit.facts, first.facts, { stable: stableOf([first, ...others]) });
  return [first, ...others];
}

/** The files agree when each of them does: the record tells of the first that did not. */
function stableOf([first, ...others]: Files): FileFacts['stable'] {
  const differing = [first, ...others].find(({ facts: { stable } }) => stable?.agreed === false);
  return (differing ?? first).facts.stable;
}

/** What the page is judged as: by its signs, which are read while it is rendered, and by the first picture of it. */
class PageVerdict {
  /** The output by which the page is judged. */
  readonly output: ResolvedOutput;
  private readonly reading: Promise<Clues>;
  private readonly options: CaptureOptions;

  constructor(
    private readonly visit: Visit,
    { outputs, options }: VisitPlan,
  ) {
    const isPicture = ({ options: { format } }: ResolvedOutput): boolean =>
      FORMATS[format].contentType.startsWith('image/');
    this.output = outputs.find(isPicture) ?? outputs[0];
    this.options = options;
    this.reading = judgeBySigns(visit);
  }

  /** Awaits the signs only if they may make the rendering unnecessary. */
  async checkSigns(): Promise<void> {
    if (this.options.fail_on_verdict.length === 0) return;
    await this.clues();
    checkVerdict(this.visit, this.options);
  }

  async checkFile({ facts }: CapturedFile, picture: DrawnPicture): Promise<void> {
    Object.assign(this.visit.facts, facts);
    await judgeFile(this.visit, this.output.options, { clues: await this.clues(), picture });
    checkVerdict(this.visit, this.options);
  }

  private clues(): Promise<Clues | undefined> {
    return withTimeout(this.reading, JUDGE_MS, 'reading the page').catch(() => undefined);
  }
}

interface RenderedOutput {
  readonly file: CapturedFile;
  readonly picture: DrawnPicture;
}

async function renderOutput(
  visit: Visit,
  { name, options }: ResolvedOutput,
  { left, maxBytes }: { readonly left: number; readonly maxBytes: number },
): Promise<RenderedOutput> {
  // The record shows the height even when the page cannot be rendered.
  const page = measurePage(visit).then((size) => {
    visit.facts.pageHeight ??= size.height;
    return size;
  });
  // It is awaited below; until then its failure must not count as an unhandled rejection.
  page.catch(() => undefined);
  const renderOnce = (): Promise<Rendered> =>
    formats[options.format].render(visit, options, { page, maxBytes: left });
  const rendered = options.stable
    ? await untilAgreed(visit, renderOnce, {
        withinMs: options.ready_timeout_ms,
        isLossy: options.format !== 'png',
      })
    : await renderOnce();
  const { width, height, pages, truncated, content, stable } = noFacts();
  const facts = { width, height, pages, truncated, content, stable, ...rendered.facts };
  const file = (await rendered.finish?.(facts)) ?? { bytes: rendered.bytes, facts };
  if (file.bytes.length > left) throw tooLarge(file.bytes.length, { left, maxBytes });
  const { height: pageHeight } = await page;
  return {
    file: { name, format: options.format, bytes: file.bytes, facts: { ...file.facts, pageHeight } },
    picture: pictureOf(rendered, options, facts),
  };
}

/** What the browser drew, from which a file of another size or format may have been made. */
function pictureOf(
  { bytes, finish }: Rendered,
  options: CaptureOptions,
  { width, height }: FileFacts,
): DrawnPicture {
  return finish
    ? { bytes, width, height, format: 'png', isQuick: true }
    : { bytes, width, height, format: options.format, isQuick: options.optimize_for_speed };
}

function tooLarge(bytes: number, { left, maxBytes }: { left: number; maxBytes: number }): AppError {
  const detail =
    left === maxBytes
      ? `The file has ${bytes} bytes; at most ${maxBytes} are kept.`
      : `The file has ${bytes} bytes; all files together may have ${maxBytes}, of which ${left} were left.`;
  return new AppError('resource_limit', { detail });
}
