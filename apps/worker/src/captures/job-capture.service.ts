import { Injectable } from '@nestjs/common';
import type { Captured, CapturedFile, CaptureOptions, ChangeReport } from '@app/capture';
import { CaptureEngine } from '@app/capture/engine';
import { AttemptsService, type Job, type ReportPhase } from '@app/jobs';
import { AppError } from '@app/kernel';
import { WatchedResolver } from '@app/outbound';
import type { KeptState } from '@app/sessions';
import { ComparisonService } from '../comparison/comparison.service.js';
import { retryDuringOutage } from './retry-during-outage.js';
import { CaptureStoppedError } from './running-captures.service.js';
import { SessionCaptureService, type VisitWith } from './session-capture.service.js';

/** A capture, and what changed since an earlier one, with the file that shows it. */
export interface JobCapture {
  readonly options: CaptureOptions;
  readonly captured: Captured;
  readonly files: readonly [CapturedFile, ...CapturedFile[]];
  readonly change: ChangeReport | null;
  /** What the capture has made of the state of its session, when that is kept. */
  readonly state: KeptState | undefined;
}

/** Captures what a job asks for. */
@Injectable()
export class JobCaptureService {
  constructor(
    private readonly attempts: AttemptsService,
    private readonly engine: CaptureEngine,
    private readonly comparisons: ComparisonService,
    private readonly names: WatchedResolver,
    private readonly sessions: SessionCaptureService,
  ) {}

  /**
   * @throws as `CaptureEngine.capture`, `SessionCaptureService.capture` and `retryDuringOutage` do; CaptureStoppedError when no name server answers and
   * no caller waits, because the job would otherwise use up its attempts before one does
   */
  async capture(job: Job, signal: AbortSignal, report: ReportPhase): Promise<JobCapture> {
    const options = this.attempts.optionsOf(job);
    const startedAt = performance.now();
    const visit: VisitWith = (use) =>
      this.engine.capture(options, signal, { onPhase: report, session: use }).catch((error: unknown) => {
        const isOutage =
          error instanceof AppError && error.code === 'dns_unavailable' && this.names.areServersAway;
        throw isOutage && job.source !== 'sync' ? new CaptureStoppedError('outage') : error;
      });
    const { captured, state } =
      options.session === undefined
        ? { captured: await visit(), state: undefined }
        : await this.sessions.capture(job, { options, signal, visit });
    const leftMs = options.timeout_ms - (performance.now() - startedAt);
    const { change, diff } = await retryDuringOutage(() =>
      this.comparisons.compare(job, { options, captured, leftMs }, signal),
    );
    return { options, captured, state, change, files: diff ? [...captured.files, diff] : captured.files };
  }
}
