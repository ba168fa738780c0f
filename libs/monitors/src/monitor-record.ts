import type { ChangeReport } from '@app/capture';
import { captureFilePath, captureResultPath } from '@app/jobs';
import type { ErrorBody } from '@app/kernel';
import type { MonitorCheck } from './monitor-check.entity.js';
import type { MonitorPage } from './monitor-page.entity.js';
import type { Monitor } from './monitor.entity.js';
import type {
  AlertRules,
  CheckOutcome,
  CheckReason,
  KeepRules,
  MonitorState,
  PauseReason,
  ShownReceiver,
  Trigger,
} from './monitor-state.js';

export type ScheduleRecord =
  | { readonly cron: string; readonly timezone: string }
  | { readonly every_s: number };

/** Where the files of a change are. They are gone when their captures have expired. */
export interface ChangeFiles {
  readonly before: string;
  readonly after: string;
  /** What differs: a picture, or a unified diff. */
  readonly diff: string;
}

/** Links to small pictures of a change, around its largest part. */
export interface ChangePictures {
  readonly before: string;
  readonly after: string;
  /** The page as it is, with what changed. */
  readonly marked: string;
}

/** A check as callers see it. */
export interface CheckRecord {
  readonly id: string;
  readonly monitor_id: string;
  /** The number of the page in the monitor, from 1. */
  readonly page: number;
  readonly url: string | null;
  readonly due_at: string;
  readonly trigger: Trigger;
  readonly missed: number;
  readonly outcome: CheckOutcome | null;
  readonly reason: CheckReason | null;
  readonly capture_ids: readonly string[];
  readonly change: ChangeReport | null;
  readonly files: ChangeFiles | null;
  /** Whether the captures keep their files, until these expire. */
  readonly files_kept: boolean;
  readonly error: ErrorBody | null;
  readonly created_at: string;
  readonly finished_at: string | null;
}

/** What events say about their monitor. */
export interface MonitorSummary {
  readonly id: string;
  readonly name: string;
  readonly state: MonitorState;
  readonly pause_reason: PauseReason | null;
  readonly next_run_at: string | null;
}

/** A monitor as callers see it: `capture` or `batch` is null. */
export interface MonitorRecord extends MonitorSummary {
  readonly schedule: ScheduleRecord;
  readonly capture: Record<string, unknown> | null;
  readonly batch: { readonly items: readonly Record<string, unknown>[] } | null;
  readonly alert: AlertRules;
  readonly keep: KeepRules;
  readonly pause_after_failures: number;
  readonly webhook_url: string | null;
  readonly notify: readonly ShownReceiver[];
  readonly last_check: CheckRecord | null;
  readonly created_at: string;
  readonly updated_at: string;
}

export function toMonitorSummary({ id, name, state, pauseReason, nextRunAt }: Monitor): MonitorSummary {
  const next = state === 'active' ? nextRunAt : null;
  return { id, name, state, pause_reason: pauseReason, next_run_at: next?.toISOString() ?? null };
}

export function toMonitorRecord(
  monitor: Monitor,
  { pages, last }: { readonly pages: readonly MonitorPage[]; readonly last: MonitorCheck | undefined },
): MonitorRecord {
  const items = pages.map(({ options }) => options);
  return {
    ...toMonitorSummary(monitor),
    schedule: scheduleRecordOf(monitor),
    capture: monitor.isBatch ? null : (items[0] ?? null),
    batch: monitor.isBatch ? { items } : null,
    alert: monitor.alert,
    keep: monitor.keep,
    pause_after_failures: monitor.pauseAfterFailures ?? 0,
    webhook_url: monitor.webhookUrl,
    notify: monitor.notify,
    last_check: last ? toCheckRecord(last) : null,
    created_at: monitor.createdAt.toISOString(),
    updated_at: monitor.updatedAt.toISOString(),
  };
}

function scheduleRecordOf({ cron, timezone, everyS }: Monitor): ScheduleRecord {
  return cron !== null && timezone !== null ? { cron, timezone } : { every_s: everyS ?? 0 };
}

export function toCheckRecord(check: MonitorCheck): CheckRecord {
  return {
    id: check.id,
    monitor_id: check.monitorId,
    page: check.page,
    url: check.url,
    due_at: check.dueAt.toISOString(),
    trigger: check.trigger,
    missed: check.missed,
    outcome: check.outcome,
    reason: check.reason,
    capture_ids: check.captureIds,
    change: check.change,
    files: filesOf(check),
    files_kept: check.filesKept,
    error: check.error,
    created_at: check.createdAt.toISOString(),
    finished_at: check.finishedAt?.toISOString() ?? null,
  };
}

function filesOf({ outcome, change, jobId }: MonitorCheck): ChangeFiles | null {
  if (outcome !== 'changed' || change === null || jobId === null) return null;
  return {
    before: captureResultPath(change.compared_with),
    after: captureResultPath(jobId),
    diff: captureFilePath(jobId, 'diff'),
  };
}
