import { AppError, withTimeout } from '@app/kernel';
import type { CapturedFile } from '../captured.js';
import { FORMATS, type Format } from '../formats/index.js';
import { readMetadata } from '../metadata/read-metadata.js';
import type { CaptureOptions } from '../options/index.js';
import { RESULT, type ResolvedOutput } from '../outputs.js';
import { measurePage } from '../pipeline/capture-area.js';
import { noFacts, type FileFacts } from '../facts.js';
import type { Visit } from '../pipeline/family.js';
import type { Render, Rendered } from '../pipeline/format.js';
import { untilAgreed } from '../stability/agreeing-files.js';
import type { DrawnPicture } from '../verdict/blank-page.js';
import type { Clues } from '../verdict/judge-signs.js';
import { checkVerdict, judgeBySigns, judgeFile } from '../verdict/judge-page.js';

/** Each format sees the options of all families, and uses its own. */
const formats: Readonly<Record<Format, { readonly render: Render<CaptureOptions> }>> = FORMATS;

/** Maximum wait for a page that is busy, before it is rendered and after. */
const JUDGE_MS = 1_000;

type Files = readonly [CapturedFile, ...CapturedFile[]];

/** What is rendered, and within which size. */
interface RenderPlan {
  /** The options of the capture. */
  readonly options: CaptureOptions;
  readonly outputs: readonly [ResolvedOutput, ...ResolvedOutput[]];
  /** Maximum size of all files together. */
  readonly maxBytes: number;
}

/**
 * Renders each output and records the facts of the first file.
 *
 * @throws AppError `resource_limit` for more than `maxBytes`, `condition_failed` for a verdict of `fail_on_verdict`
 */
export async function render(visit: Visit, { options, outputs, maxBytes }: RenderPlan): Promise<Files> {
  // The page is judged while it is rendered, unless the verdict may make the rendering unnecessary.
  const judging = judgeBySigns(visit);
  const judged = (): Promise<Clues | undefined> =>
    withTimeout(judging, JUDGE_MS, 'reading the page').catch(() => undefined);
  if (options.fail_on_verdict.length > 0) {
    await judged();
    checkVerdict(visit, options);
  }
  // The page as it is now is read while it is rendered.
  const reading = options.metadata ? readMetadata(visit) : null;
  const [{ options: firstOptions }] = outputs;
  const { file: first, picture } = await renderOutput(visit, outputs[0], maxBytes);
  Object.assign(visit.facts, first.facts);
  await judgeFile(visit, firstOptions, { clues: await judged(), picture });
  checkVerdict(visit, options);
  visit.facts.page = await reading;
  const others: CapturedFile[] = [];
  let left = maxBytes - first.bytes.length;
  for (const output of outputs.slice(1)) {
    const { file } = await renderOutput(visit, output, left);
    left -= file.bytes.length;
    others.push(file);
  }
  return [first, ...others];
}

async function renderOutput(
  visit: Visit,
  { name, options }: ResolvedOutput,
  maxBytes: number,
): Promise<{ file: CapturedFile; picture: DrawnPicture }> {
  // The record shows the height even when the page cannot be rendered.
  const page = measurePage(visit).then((size) => {
    visit.facts.pageHeight ??= size.height;
    return size;
  });
  // It is awaited below; until then its failure must not count as an unhandled rejection.
  page.catch(() => undefined);
  const renderOnce = (): Promise<Rendered> =>
    formats[options.format].render(visit, options, { page, maxBytes });
  const rendered = options.stable
    ? await untilAgreed(visit, renderOnce, {
        withinMs: options.ready_timeout_ms,
        isLossy: options.format !== 'png',
      })
    : await renderOnce();
  const { width, height, pages, truncated, content, stable } = noFacts();
  const facts = { width, height, pages, truncated, content, stable, ...rendered.facts };
  const file = (await rendered.finish?.(facts)) ?? { bytes: rendered.bytes, facts };
  if (file.bytes.length > maxBytes) throw tooLarge(name, file.bytes.length, maxBytes);
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

function tooLarge(name: string, bytes: number, maxBytes: number): AppError {
  const file = name === RESULT ? 'The file' : `The file ${name}`;
  return new AppError('resource_limit', {
    detail: `${file} has ${bytes} bytes; at most ${maxBytes} are kept${name === RESULT ? '' : ' of all files together'}.`,
  });
}
