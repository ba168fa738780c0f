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
  type PictureBox,
} from '@app/capture';
import { Env } from '@app/config';
import { isOutage } from '@app/database';
import { EarlierCaptureRepository, earlierOutput, filesOf, type Job, type JobFile } from '@app/jobs';
import { withTimeout } from '@app/kernel';
import { FileNotFoundError, Storage } from '@app/storage';
import {
  failedChange,
  failureOf,
  isPicture,
  textChanged,
  unknownChange,
  type Pair,
} from './change-report.js';
import type { LineReport } from './changed-lines.js';
import { continueNoise } from './noise-boxes.js';
import { OdiffService } from './odiff.service.js';
import { comparePictures, type ComparedPicture, type PictureChange } from './picture-comparison.js';
import { TextComparisonService } from './text-comparison.service.js';

/** The largest pictures take some seconds. A comparison that takes longer is given up, also within `timeout_ms`. */
const TIMEOUT_MS = 45_000;

/** What a comparison found, and the file that shows it. */
export interface Comparison {
  readonly change: ChangeReport | null;
  readonly diff: CapturedFile | null;
}

const NOTHING: Comparison = { change: null, diff: null };

/** A capture that is to be compared, and the time in ms that is left of its `timeout_ms`. */
export interface Compared {
  readonly options: CaptureOptions;
  readonly captured: Captured;
  readonly leftMs: number;
}

interface FileChange extends Pick<ChangeReport, 'boxes' | 'noise'> {
  readonly ratio: number;
  readonly size_changed: boolean;
  readonly diff: CapturedFile | null;
  /** What changed in the texts, if texts were compared. */
  readonly report?: LineReport;
}

/** Compares a capture with an earlier one (`compare_with`). */
@Injectable()
export class ComparisonService implements OnApplicationShutdown {
  private readonly logger = new Logger(ComparisonService.name);
  private folder: Promise<WorkerFolder> | undefined;

  constructor(
    private readonly captures: EarlierCaptureRepository,
    private readonly storage: Storage,
    private readonly odiff: OdiffService,
    private readonly texts: TextComparisonService,
    private readonly env: Env,
  ) {}

  /**
   * Compares the files of a capture with those of the earlier one. There is no report without an earlier capture. When the
   * comparison fails, the report says so: it must not cost the capture, which has its files. The log says more.
   *
   * @throws the reason of the signal when that aborts; an outage of the database that hides whether there is an earlier capture
   */
  async compare(job: Job, compared: Compared, signal: AbortSignal): Promise<Comparison> {
    const { options, captured, leftMs } = compared;
    if (options.compare_with === undefined) return NOTHING;
    let pair: Pair | undefined;
    try {
      pair = await this.findPair(job, options, captured);
      return pair ? await this.compareInTime(pair, captured, { leftMs, signal }) : missing(options);
    } catch (err) {
      if (signal.aborted) throw signal.reason;
      if (!pair && isOutage(err)) throw err;
      this.logger.warn({ job_id: job.id, err }, 'the capture could not be compared');
      return pair ? { change: failedChange(pair, captured, failureOf(err)), diff: null } : NOTHING;
    }
  }

  private async compareInTime(
    pair: Pair,
    captured: Captured,
    { leftMs, signal }: { readonly leftMs: number; readonly signal: AbortSignal },
  ): Promise<Comparison> {
    const ms = Math.max(0, Math.min(TIMEOUT_MS, Math.round(leftMs)));
    const limit = AbortSignal.any([signal, AbortSignal.timeout(ms)]);
    return withTimeout(this.comparePair(pair, captured, limit), ms, 'the comparison');
  }

  async onApplicationShutdown(): Promise<void> {
    await (await this.folder?.catch(() => undefined))?.remove();
  }

  private async findPair(job: Job, options: CaptureOptions, { files }: Captured): Promise<Pair | undefined> {
    const [output] = comparableOutputs(options);
    const now = files.find(({ name }) => name === output?.name);
    const earlier = await this.findEarlier(job, options.compare_with);
    const before = output && earlier && earlierOutput(output, filesOf(earlier));
    if (!output || !now || !before) return undefined;
    return { job, options, output, earlier, now, before, twin: await this.findTwin(job, options) };
  }

  /** The capture of the same moment; undefined unless one is named, and when it is gone. */
  private async findTwin(job: Job, { compare_confirms: id }: CaptureOptions): Promise<Job | undefined> {
    if (id === undefined) return undefined;
    const [twin] = await this.captures.listOfAccount(job.accountId, [id]);
    return twin;
  }

  private async findEarlier(job: Job, id: string | undefined): Promise<Job | null | undefined> {
    if (id === undefined || id === 'previous') return this.captures.findPrevious(job);
    const [earlier] = await this.captures.listOfAccount(job.accountId, [id]);
    return earlier;
  }

  private async comparePair(pair: Pair, captured: Captured, signal: AbortSignal): Promise<Comparison> {
    const { earlier, now, before } = pair;
    const found = isSame(now, before) ? UNCHANGED : await this.compareFiles(pair, signal);
    const { diff, ratio, boxes, size_changed, noise } = found;
    const lines =
      ratio > 0 && isPicture(pair) ? await this.reportTexts(pair, captured, signal) : found.report;
    const change = {
      compared_with: earlier.id,
      failure: null,
      changed: ratio > 0,
      ratio,
      boxes,
      size_changed,
      text_changed: isPicture(pair) ? textChanged(pair, captured) : ratio > 0,
      noise,
      ...(lines ?? NO_LINES),
    };
    return { change, diff: diff && this.fitsLimit(captured, diff, pair.job) ? diff : null };
  }

  private async compareFiles(pair: Pair, signal: AbortSignal): Promise<FileChange> {
    const { key } = pair.before;
    if (key === null) throw new FileNotFoundError('of the earlier capture');
    const bytes = await buffer(await this.storage.read(key));
    const twinFile = pair.twin && earlierOutput(pair.output, filesOf(pair.twin));
    const twin = twinFile?.key ? await buffer(await this.storage.read(twinFile.key)) : undefined;
    signal.throwIfAborted();
    if (!isPicture(pair)) return this.compareTexts(pair, { bytes, twin }, signal);
    const found = await this.comparePictures({ ...pair, noise: [] }, bytes, signal);
    // A change that is gone says nothing about noise: the page may not have been complete.
    if (!twinFile || !twin || found.ratio === 0) return found;
    const differing = await this.noiseOf({ ...pair, before: twinFile }, twin, signal);
    // The capture of the same moment may have confirmed another one.
    const noise = continueNoise([...differing, ...(pair.twin?.change?.noise ?? [])], found.boxes);
    if (noise.length === 0) return found;
    return { ...(await this.comparePictures({ ...pair, noise }, bytes, signal)), noise };
  }

  /** The parts in which the picture differs from that of the same moment. */
  private async noiseOf(pair: Pair, bytes: Buffer, signal: AbortSignal): Promise<readonly PictureBox[]> {
    return (await this.comparePictures({ ...pair, noise: [] }, bytes, signal)).boxes;
  }

  /** What changed in the first output of text that both captures have; undefined when it is the same. */
  private async reportTexts(
    { earlier, twin, job }: Pair,
    { files }: Captured,
    signal: AbortSignal,
  ): Promise<LineReport | undefined> {
    const now = files.find(({ format }) => comparedKindOf(format) === 'text');
    const before = filesOf(earlier).find(({ name }) => name === now?.name);
    if (!now || !before?.key || isSame(now, before)) return undefined;
    const twinKey = twin && filesOf(twin).find(({ name }) => name === now.name)?.key;
    const texts = {
      before: { name: earlier.id, bytes: await buffer(await this.storage.read(before.key)) },
      now: { name: job.id, bytes: now.bytes },
      ...(twinKey && { twin: { name: job.id, bytes: await buffer(await this.storage.read(twinKey)) } }),
    };
    const { lines, summary } = await this.texts.compare(texts, signal);
    return { lines, summary };
  }

  private async comparePictures(
    pair: Pair & { readonly noise: readonly PictureBox[] },
    bytes: Buffer,
    signal: AbortSignal,
  ): Promise<FileChange> {
    const { options, now, noise } = pair;
    const pictures = {
      before: pictureOf(pair.before.format, bytes, pair.before),
      now: pictureOf(now.format, now.bytes, now.facts),
    };
    this.folder ??= WorkerFolder.open({ dataDir: this.env.DATA_DIR, passable: false });
    const folder = await (await this.folder).openBrowserFolder();
    try {
      const change = await comparePictures({
        ...pictures,
        threshold: options.compare_threshold,
        ignored: [...(now.ignored ?? []), ...noise],
        folder: folder.temporary,
        odiff: this.odiff,
        signal,
      });
      const { before, now: after } = pictures;
      const size_changed = before.width !== after.width || before.height !== after.height;
      return {
        ...UNCHANGED,
        ratio: change.ratio,
        boxes: change.boxes,
        size_changed,
        diff: toDiff(change.diff),
      };
    } finally {
      await folder.remove();
    }
  }

  private async compareTexts(
    { earlier, job, now }: Pair,
    { bytes, twin }: { readonly bytes: Buffer; readonly twin: Buffer | undefined },
    signal: AbortSignal,
  ): Promise<FileChange> {
    const texts = {
      before: { name: earlier.id, bytes },
      now: { name: job.id, bytes: now.bytes },
      twin: twin && { name: job.id, bytes: twin },
    };
    const { ratio, diff, lines, summary } = await this.texts.compare(texts, signal);
    const file = toDiff(diff === null ? null : { bytes: Buffer.from(diff) });
    return { ...UNCHANGED, ratio, diff: file, report: { lines, summary } };
  }

  /** Whether the files of the capture are not too large together with that of the differences, which is left out otherwise. */
  private fitsLimit({ files }: Captured, diff: CapturedFile, job: Job): boolean {
    const bytes = files.reduce((sum, file) => sum + file.bytes.byteLength, diff.bytes.byteLength);
    const fits = bytes <= this.env.RESULT_MAX_BYTES;
    if (!fits) this.logger.warn({ job_id: job.id, bytes }, 'the file of the differences is too large');
    return fits;
  }
}

function isSame(now: CapturedFile, before: Pick<JobFile, 'sha256'>): boolean {
  return createHash('sha256').update(now.bytes).digest('hex') === before.sha256;
}

/** A capture without a previous one is the first of its kind; a capture that was named has been deleted since. */
function missing({ compare_with: id }: CaptureOptions): Comparison {
  const isNamed = id !== undefined && id !== 'previous';
  return isNamed ? { change: unknownChange(id, 'file_missing'), diff: null } : NOTHING;
}

const UNCHANGED: FileChange = { ratio: 0, boxes: [], size_changed: false, diff: null, noise: [] };

const NO_LINES: LineReport = { lines: [], summary: null };

function pictureOf(
  format: ComparedPicture['format'],
  bytes: Uint8Array,
  { width, height }: Pick<JobFile, 'width' | 'height'>,
): ComparedPicture {
  if (width === null || height === null) throw new Error('The size of a picture is not known.');
  return { bytes, format, width, height };
}

function toDiff(diff: PictureChange['diff'] | { readonly bytes: Uint8Array }): CapturedFile | null {
  if (!diff) return null;
  const { width, height } = 'width' in diff ? diff : { width: null, height: null };
  const format = diffFormatOf(width === null ? 'text' : 'picture');
  const facts = { ...noFileFacts(), width, height, pageHeight: null };
  return { name: DIFF, format, bytes: diff.bytes, facts };
}
