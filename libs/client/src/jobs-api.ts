import { jsonConsumer, type CaptureFile, type SavedFile } from './answers.js';
import type { JobOptions } from './capture-options.js';
import { pathOf } from './checks.js';
import { CAPTURE_FILE, download, downloadTo, type Download } from './downloads.js';
import { followRecord, waitForEnd } from './follow-record.js';
import {
  cancelJob,
  followJob,
  getJob,
  getJobResult,
  submitJob,
  type JobRecord,
} from './generated/openapi/index.js';
import { hasEnded } from './has-ended.js';
import type { CallOptions, Transport, Wire } from './transport.js';

export interface JobWaitOptions {
  /** Time in ms after which the wait ends with `timeout`; the job continues. Without it there is no limit. */
  readonly timeoutMs?: number | undefined;
  /** Called with the record at each change of status, attempt or position in the queue. */
  readonly onChange?: ((job: JobRecord) => void) | undefined;
}

/** Captures that run in the background. */
export class JobsApi {
  constructor(private readonly transport: Transport) {}

  /** Submits a capture; it is executed whatever happens to this program. */
  async create(options: JobOptions, call?: CallOptions): Promise<JobRecord> {
    const { data } = await submitJob({ ...this.json(call), body: options });
    return data;
  }

  async get(id: string, call?: CallOptions): Promise<JobRecord> {
    const { data } = await getJob({ ...this.json(call), path: pathOf({ id }) });
    return data;
  }

  /** The final record, also that of a job that failed or was canceled: see its `status` and `error`. */
  wait(id: string, { timeoutMs, onChange }: JobWaitOptions = {}, call: CallOptions = {}): Promise<JobRecord> {
    const follow = (options: CallOptions): AsyncIterable<JobRecord> => this.events(id, options);
    return waitForEnd(follow, { name: `The job ${id}`, timeoutMs, onChange, call });
  }

  /** The record now and after each change, up to the final one. Lost connections are opened again. */
  events(id: string, call?: CallOptions): AsyncIterable<JobRecord> {
    return followRecord<JobRecord>(
      this.transport,
      {
        open: (wire) => followJob({ ...wire, path: pathOf({ id }) }),
        isFinal: hasEnded,
      },
      call,
    );
  }

  /** The file of a job that has succeeded. For one that has failed, the error is its own. */
  result(id: string, call?: CallOptions): Promise<CaptureFile> {
    return download(this.transport, resultOf(id), call);
  }

  /** Saves the file of a job that has succeeded. */
  resultToPath(id: string, path: string, call?: CallOptions): Promise<SavedFile> {
    return downloadTo(this.transport, resultOf(id), { path, call });
  }

  /** Cancels a job that is queued or running. Nothing is charged for it. */
  async cancel(id: string, call?: CallOptions): Promise<JobRecord> {
    const { data } = await cancelJob({ ...this.json(call), path: pathOf({ id }) });
    return data;
  }

  private json(call: CallOptions = {}): Wire {
    return this.transport.wire({ call, consume: jsonConsumer });
  }
}

function resultOf(id: string): Download<CaptureFile> {
  return { kind: CAPTURE_FILE, run: (wire) => getJobResult({ ...wire, path: pathOf({ id }) }) };
}
