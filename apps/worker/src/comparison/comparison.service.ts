import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { WorkerFolder } from '@app/browser';
import {
  comparableOutputs,
  comparedKindOf,
  DIFF,
  diffFormatOf,
  noFileFacts,
  type Captured,
  type CapturedFile,
  type CaptureOptions,
  type ChangeReport,
} from '@app/capture';
import { Env } from '@app/config';
import { EarlierCaptureRepository, earlierOutput, filesOf, type Job, type JobFile } from '@app/jobs';
import { withTimeout } from '@app/kernel';
import { Storage } from '@app/storage';
import { OdiffService } from './odiff.service.js';
import { comparePictures, type ComparedPicture, type PictureChange } from './picture-comparison.js';
import { compareTexts } from './text-comparison.js';

/** The largest pictures take some seconds. A comparison that takes longer is given up. */
const TIMEOUT_MS = 45_000;

/** What a comparison found, and the file that shows it. */
export interface Comparison {
  readonly change: ChangeReport | null;
  readonly diff: CapturedFile | null;
}

const NOTHING: Comparison = { change: null, diff: null };

/** A file of this capture, and the one of the earlier capture that it is compared with. */
interface Pair {
  readonly job: Job;
  readonly options: CaptureOptions;
  readonly earlier: Job;
  readonly now: CapturedFile;
  readonly before: JobFile;
}

type FileChange = Pick<ChangeReport, 'ratio' | 'boxes' | 'size_changed'> & {
  readonly diff: CapturedFile | null;
};

/** Compares a capture with an earlier one (`compare_with`). */
@Injectable()
export class ComparisonService implements OnApplicationShutdown {
  private readonly logger = new Logger(ComparisonService.name);
  private folder: Promise<WorkerFolder> | undefined;

  constructor(
    private readonly captures: EarlierCaptureRepository,
    private readonly storage: Storage,
    private readonly odiff: OdiffService,
    private readonly env: Env,
  ) {}

  /**
   * Compares the files of a capture with those of the earlier one. There is no report without an earlier capture, and none when
   * the comparison fails: that must not cost the capture, which has its files. The log says why.
   *
   * @throws the reason of the signal when that aborts
   */
  async compare(
    job: Job,
    { options, captured }: { readonly options: CaptureOptions; readonly captured: Captured },
    signal: AbortSignal,
  ): Promise<Comparison> {
    if (options.compare_with === undefined) return NOTHING;
    const limit = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
    try {
      const pair = await this.findPair(job, options, captured);
      if (!pair) return NOTHING;
      return await withTimeout(this.comparePair(pair, captured, limit), TIMEOUT_MS, 'the comparison');
    } catch (err) {
      if (signal.aborted) throw signal.reason;
      this.logger.warn({ job_id: job.id, err }, 'the capture could not be compared');
      return NOTHING;
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await (await this.folder?.catch(() => undefined))?.remove();
  }

  private async findPair(job: Job, options: CaptureOptions, { files }: Captured): Promise<Pair | undefined> {
    const [output] = comparableOutputs(options);
    const now = files.find(({ name }) => name === output?.name);
    const earlier = await this.findEarlier(job, options.compare_with);
    const before = output && earlier && earlierOutput(output, filesOf(earlier));
    if (now && before) return { job, options, earlier, now, before };
    if (options.compare_with !== 'previous')
      this.logger.warn({ job_id: job.id }, 'the capture to compare with is gone');
    return undefined;
  }

  private async findEarlier(job: Job, id: string | undefined): Promise<Job | null | undefined> {
    if (id === undefined || id === 'previous') return this.captures.findPrevious(job);
    const [earlier] = await this.captures.listOfAccount(job.accountId, [id]);
    return earlier;
  }

  private async comparePair(pair: Pair, captured: Captured, signal: AbortSignal): Promise<Comparison> {
    const { earlier, now, before } = pair;
    const isSame = createHash('sha256').update(now.bytes).digest('hex') === before.sha256;
    const found = isSame ? UNCHANGED : await this.compareFiles(pair, signal);
    const { diff, ratio, boxes, size_changed } = found;
    const isPicture = comparedKindOf(now.format) === 'picture';
    const change = {
      ...{ compared_with: earlier.id, changed: ratio > 0, ratio, boxes, size_changed },
      text_changed: isPicture ? textChanged(pair, captured) : ratio > 0,
    };
    return { change, diff: diff && this.fits(captured, diff, pair.job) ? diff : null };
  }

  private async compareFiles(pair: Pair, signal: AbortSignal): Promise<FileChange> {
    const { key } = pair.before;
    if (key === null) throw new Error('The file of the earlier capture has expired.');
    const bytes = await buffer(await this.storage.read(key));
    return comparedKindOf(pair.now.format) === 'picture'
      ? this.comparePictures(pair, bytes, signal)
      : this.compareTexts(pair, bytes);
  }

  private async comparePictures(pair: Pair, bytes: Buffer, signal: AbortSignal): Promise<FileChange> {
    const { options, now } = pair;
    const pictures = {
      before: pictureOf(pair.before.format, bytes, pair.before),
      now: pictureOf(now.format, now.bytes, now.facts),
    };
    this.folder ??= WorkerFolder.open({ dataDir: this.env.DATA_DIR, passable: false });
    const folder = await (await this.folder).openBrowserFolder();
    try {
      const change = await comparePictures({
        ...pictures,
        ...{ threshold: options.compare_threshold, ignored: now.ignored ?? [] },
        ...{ folder: folder.temporary, odiff: this.odiff, signal },
      });
      const { before, now: after } = pictures;
      const size_changed = before.width !== after.width || before.height !== after.height;
      return { ratio: change.ratio, boxes: change.boxes, size_changed, diff: toDiff(change.diff) };
    } finally {
      await folder.remove();
    }
  }

  private async compareTexts({ earlier, job, now }: Pair, bytes: Buffer): Promise<FileChange> {
    const { ratio, diff } = await compareTexts(
      { name: earlier.id, text: bytes.toString() },
      { name: job.id, text: Buffer.from(now.bytes).toString() },
    );
    return { ...UNCHANGED, ratio, diff: toDiff(diff === null ? null : { bytes: Buffer.from(diff) }) };
  }

  /** Whether the files of the capture are not too large together with that of the differences, which is left out otherwise. */
  private fits({ files }: Captured, diff: CapturedFile, job: Job): boolean {
    const bytes = files.reduce((sum, file) => sum + file.bytes.byteLength, diff.bytes.byteLength);
    const fits = bytes <= this.env.RESULT_MAX_BYTES;
    if (!fits) this.logger.warn({ job_id: job.id, bytes }, 'the file of the differences is too large');
    return fits;
  }
}

const UNCHANGED: FileChange = { ratio: 0, boxes: [], size_changed: false, diff: null };

function pictureOf(
  format: ComparedPicture['format'],
  bytes: Uint8Array,
  { width, height }: Pick<JobFile, 'width' | 'height'>,
): ComparedPicture {
  if (width === null || height === null) throw new Error('The size of a picture is not known.');
  return { bytes, format, width, height };
}

/** Null when one of the hashes is missing, or when the captures left out different elements. */
function textChanged({ earlier, options }: Pair, { textHash }: Captured): boolean | null {
  const ignored = earlier.options.compare_ignore_selectors ?? [];
  const isComparable = JSON.stringify(ignored) === JSON.stringify(options.compare_ignore_selectors);
  if (!textHash || !earlier.textHash || !isComparable) return null;
  return !textHash.equals(earlier.textHash);
}

function toDiff(diff: PictureChange['diff'] | { readonly bytes: Uint8Array }): CapturedFile | null {
  if (!diff) return null;
  const { width, height } = 'width' in diff ? diff : { width: null, height: null };
  const format = diffFormatOf(width === null ? 'text' : 'picture');
  const facts = { ...noFileFacts(), width, height, pageHeight: null };
  return { name: DIFF, format, bytes: diff.bytes, facts };
}
