import { withTimeout } from '@app/kernel';
import { boxesToIgnore } from '../findings/comparison/boxes-to-ignore.js';
import { aboutFormat, FORMATS, isPicture, isPrinted, type Format } from '../formats/index.js';
import { readMetadata } from '../findings/metadata/read-metadata.js';
import type { CaptureOptions } from '../request/capture-options.js';
import type { ResolvedOutput } from '../request/resolved-outputs.js';
import { measurePage } from '../pipeline/capture-area.js';
import { noFileFacts } from '../record/facts.js';
import { makeClean } from '../pipeline/clean-page.js';
import { missingProbe } from '../findings/missing/note-missing.js';
import type { MissingProbe } from '../findings/missing/read-missing.js';
import type { Visit } from '../pipeline/family.js';
import type { Render, Rendered } from '../pipeline/format.js';
import { untilAgreed } from '../stability/agreeing-files.js';
import type { PageClues } from '../findings/verdict/judge-signs.js';
import type { DrawnPicture } from '../findings/verdict/blank-page.js';
import { checkVerdict, judgeBySigns, judgeFile } from '../findings/verdict/judge-page.js';
import { checkSize, type BytesLeft, type DrawnFile, type Files } from './finish-files.js';
import { enterGroup, inFrame } from './output-frames.js';
import type { VisitPlan } from './visit-plan.js';

/** Each format sees the options of all families, and uses its own. */
const formats: Readonly<Record<Format, { readonly render: Render<CaptureOptions> }>> = FORMATS;

/** Maximum wait for a page that is busy, before it is rendered and after. */
const JUDGE_MS = 1_000;

/** What is rendered, and within which size. */
interface RenderTask {
  readonly plan: VisitPlan;
  /** Maximum size of all files together. */
  readonly maxBytes: number;
  /** The page has navigated since it was settled. */
  readonly isAgain: boolean;
}

/**
 * Renders each output. The files may have to be finished, which needs no page.
 *
 * @throws AppError `resource_limit` for more than `maxBytes`, `condition_failed` for a verdict of `fail_on_verdict`
 */
export async function render(visit: Visit, task: RenderTask): Promise<Files<DrawnFile>> {
  const { plan, maxBytes, isAgain } = task;
  const { isShared } = plan;
  const verdict = new PageVerdict(visit, plan);
  await verdict.checkSigns();
  // Our own script would count as one that draws.
  if (visit.hasDrawings) await verdict.readClues();
  // The page as it is now is read while it is rendered, unless the outputs change it.
  const reading = plan.options.metadata ? readMetadata(visit) : null;
  if (isShared) await reading;
  const files = new Map<ResolvedOutput, DrawnFile>();
  let left = maxBytes;
  for (const group of plan.groups) {
    const isSettled = plan.beginsSettled && group === plan.groups[0] && !isAgain;
    await enterGroup(visit, group, { isShared, isSettled });
    for (const output of group.outputs) {
      const draw = (): Promise<DrawnFile> => renderOutput(visit, output, { left, maxBytes });
      const make = (): Promise<DrawnFile> => makeClean(visit, draw);
      const file = await inFrame(visit, output, { isShared, make });
      // How many bytes an unfinished file has is known later.
      if (!file.finish) left -= file.bytes.length;
      files.set(output, file);
      if (output === verdict.output) await verdict.checkFile(file);
    }
  }
  visit.facts.page = await reading;
  const [first, ...others] = plan.outputs.flatMap((output) => files.get(output) ?? []);
  if (!first) throw new RangeError('No output was rendered');
  return [first, ...others];
}

/** What the page is judged as: by its signs, which are read while it is rendered, and by the first picture of it. */
class PageVerdict {
  /** The output by which the page is judged. */
  readonly output: ResolvedOutput;
  private readonly reading: Promise<PageClues>;
  private readonly options: CaptureOptions;

  constructor(
    private readonly visit: Visit,
    { outputs, options, isShared }: VisitPlan,
  ) {
    this.output = outputs.find((output) => isPicture(output.options.format)) ?? outputs[0];
    this.options = options;
    const isDrawn = outputs.some(({ options: { format } }) => isPicture(format) || isPrinted(format));
    this.reading = judgeBySigns(visit, isDrawn ? probeFor(this.output.options, isShared) : null);
  }

  /** Awaits the signs only if they may make the rendering unnecessary. */
  async checkSigns(): Promise<void> {
    if (this.options.fail_on_verdict.length === 0) return;
    await this.readClues();
    checkVerdict(this.visit, this.options);
  }

  async checkFile(file: DrawnFile): Promise<void> {
    Object.assign(this.visit.facts, file.facts);
    const picture = drawnPicture(file, this.output.options);
    await judgeFile(this.visit, this.output.options, { readClues: await this.readClues(), picture });
    checkVerdict(this.visit, this.options);
  }

  readClues(): Promise<PageClues | undefined> {
    return withTimeout(this.reading, JUDGE_MS, 'reading the page').catch(() => undefined);
  }
}

/** Asks for what the file lacks. Several outputs may show any part of the page. */
function probeFor(options: CaptureOptions, isShared: boolean): MissingProbe {
  const { selector, clip_x: x, clip_y: y, clip_width: width, clip_height: height } = options;
  const isPrint = isPrinted(options.format);
  if (isShared || isPrint || options.full_page) return missingProbe('page', isPrint);
  if (selector !== undefined) return missingProbe({ selector }, false);
  if (x === undefined) return missingProbe('window', false);
  return missingProbe({ x, y: y ?? 0, width: width ?? 0, height: height ?? 0 }, false);
}

async function renderOutput(
  visit: Visit,
  { name, options }: ResolvedOutput,
  limit: BytesLeft,
): Promise<DrawnFile> {
  // The record shows the height even when the page cannot be rendered.
  const page = measurePage(visit).then((size) => {
    visit.facts.pageHeight ??= size.height;
    return size;
  });
  // It is awaited below; until then its failure must not count as an unhandled rejection.
  page.catch(() => undefined);
  const renderOnce = (): Promise<Rendered> =>
    formats[options.format].render(visit, options, { page, maxBytes: limit.left });
  const {
    bytes: drawnBytes,
    facts,
    area,
    finish,
  } = options.stable
    ? await untilAgreed(visit, renderOnce, {
        withinMs: options.ready_timeout_ms,
        isLossy: !isPicture(options.format) || aboutFormat(options.format).isLossy,
      })
    : await renderOnce();
  const bytes = withoutSecrets(visit, options.format, drawnBytes);
  if (!finish) checkSize(bytes.length, limit);
  const { height: pageHeight } = await page;
  const drawn = { ...noFileFacts(), ...facts };
  const ignored = await boxesToIgnore(visit, options, { area, facts: drawn });
  return { name, format: options.format, bytes, facts: { ...drawn, pageHeight }, ignored, finish };
}

/** A text without the secrets that the capture has typed; a picture shows dots for them. */
function withoutSecrets({ redact }: Visit, format: Format, bytes: Uint8Array): Uint8Array {
  const { kind } = aboutFormat(format);
  if (!redact || (kind !== 'markup' && kind !== 'text')) return bytes;
  return Buffer.from(redact(Buffer.from(bytes).toString('utf8')), 'utf8');
}

/** What the browser drew: a PNG, when a file of another size or format is to be made of it. */
function drawnPicture({ finish, bytes, format, facts }: DrawnFile, options: CaptureOptions): DrawnPicture {
  const { width, height } = facts;
  const shown = finish
    ? { format: 'png' as const, isQuick: true }
    : { format, isQuick: options.optimize_for_speed };
  return { bytes, width, height, ...shown };
}
