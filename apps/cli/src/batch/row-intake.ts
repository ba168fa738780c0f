import { CaptureError } from '@capture-service/client';
import type { BatchProgress } from './batch-progress.js';
import type { RowDownloads } from './row-downloads.js';
import type { RowFile } from './row-files.js';
import { outcomeOf, withoutFile, type EndedRecord, type RowOutcome } from './row-outcome.js';
import type { RowOutcomes } from './row-outcomes.js';
import { Slots } from './slots.js';

/** Errors of a file that the service has no more; the row has failed, and others continue. */
export const LOST: ReadonlySet<string> = new Set([
  'result_expired',
  'not_found',
  'job_canceled',
  'job_not_finished',
]);

const FILE_GONE = { code: 'result_expired', detail: 'The files of the capture are deleted.' };

/** Where rows go that have ended. */
export interface IntakeParts {
  readonly downloads: RowDownloads;
  readonly outcomes: RowOutcomes;
  readonly progress: BatchProgress;
  /** Aborted when the user stops the run, or when a part of it fails. */
  readonly controller: AbortController;
}

/** A row that has ended, and where it belongs. */
export interface EndedRow {
  /** In the list, from 1. */
  readonly row: number;
  readonly record: EndedRecord;
  /** Its files; none unless it has succeeded. */
  readonly files: readonly RowFile[];
  /** The index of its batch. */
  readonly batch: number;
  /** Whether no other batch can say something else about the row. */
  readonly isFinal: boolean;
}

/** Takes rows that have ended: downloads their files, several rows at once, and notes their outcomes. */
export class RowIntake {
  private readonly slots: Slots;

  /** @param parallel rows whose files are downloaded at once */
  constructor(
    private readonly parts: IntakeParts,
    parallel: number,
  ) {
    this.slots = new Slots(parallel);
  }

  /** Resolves when there is a slot for the download, so that rows do not pile up. Any failure ends the whole run. */
  async accept(ended: EndedRow): Promise<void> {
    const { controller } = this.parts;
    await this.slots.acquire();
    if (controller.signal.aborted) {
      this.slots.free();
      throw controller.signal.reason;
    }
    void this.store(ended)
      .catch((error: unknown) => {
        controller.abort(error);
      })
      .finally(() => {
        this.slots.free();
      });
  }

  /** Resolves when no row is under way. */
  async idle(): Promise<void> {
    await this.slots.idle();
  }

  private async store(ended: EndedRow): Promise<void> {
    const { outcomes, progress } = this.parts;
    await outcomes.add(await this.outcomeOf(ended), ended.batch, ended.isFinal);
    progress.row(outcomes.counts);
  }

  private async outcomeOf({ row, record, files }: EndedRow): Promise<RowOutcome> {
    if (record.status === 'succeeded' && files.length === 0) return withoutFile(row, record, FILE_GONE);
    try {
      await this.parts.downloads.save(record.id, files);
      return outcomeOf(row, record, files);
    } catch (error) {
      if (!(error instanceof CaptureError) || !LOST.has(error.code)) throw error;
      return withoutFile(row, record, { code: error.code, detail: error.detail });
    }
  }
}
