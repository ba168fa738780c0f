import { AppError, withTimeout } from '@app/kernel';
import { FORMATS, type Format } from '../formats/index.js';
import type { CaptureOptions } from '../options/index.js';
import { measurePage } from '../pipeline/capture-area.js';
import type { Visit } from '../pipeline/family.js';
import type { Render, Rendered } from '../pipeline/format.js';
import { untilAgreed } from '../stability/agreeing-files.js';
import type { Clues } from '../verdict/judge-signs.js';
import { checkVerdict, judgeBySigns, judgeFile } from '../verdict/judge-page.js';

/** Each format sees the options of all families, and uses its own. */
const formats: Readonly<Record<Format, { readonly render: Render<CaptureOptions> }>> = FORMATS;

/** Maximum wait for a page that is busy, before it is rendered and after. */
const JUDGE_MS = 1_000;

/**
 * Renders the page in the requested format and records the facts of the file.
 *
 * @throws AppError `resource_limit` for more than `maxBytes`, `condition_failed` for a verdict of `fail_on_verdict`
 */
export async function render(visit: Visit, options: CaptureOptions, maxBytes: number): Promise<Uint8Array> {
  // The record shows the height even when the page cannot be rendered.
  const page = measurePage(visit).then((size) => {
    visit.facts.pageHeight = size.height;
    return size;
  });
  // It is awaited below; until then its failure must not count as an unhandled rejection.
  page.catch(() => undefined);
  // The page is judged while it is rendered, unless the verdict may make the rendering unnecessary.
  const judging = judgeBySigns(visit);
  const judged = (): Promise<Clues | undefined> =>
    withTimeout(judging, JUDGE_MS, 'reading the page').catch(() => undefined);
  if (options.fail_on_verdict.length > 0) {
    await judged();
    checkVerdict(visit, options);
  }
  const renderOnce = (): Promise<Rendered> =>
    formats[options.format].render(visit, options, { page, maxBytes });
  const { bytes, facts } = options.stable
    ? await untilAgreed(visit, renderOnce, {
        withinMs: options.ready_timeout_ms,
        isLossy: options.format !== 'png',
      })
    : await renderOnce();
  if (bytes.length > maxBytes) {
    throw new AppError('resource_limit', {
      detail: `The file has ${bytes.length} bytes; at most ${maxBytes} are kept.`,
    });
  }
  await page;
  Object.assign(visit.facts, facts);
  await judgeFile(visit, options, { clues: await judged(), bytes });
  checkVerdict(visit, options);
  return bytes;
}
