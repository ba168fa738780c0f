import type { CaptureOptions } from '@app/capture';
import type { Idempotency } from '@app/jobs';
import type { Receiver } from '@app/webhooks';
import type { AlertRules, KeepRules } from './monitor-state.js';
import type { Schedule } from './schedule/schedule.js';

/** Pages of one monitor. Each instant captures all of them in one transaction. */
export const MAX_PAGES = 50;

/** What a caller watches, with valid options. */
export interface MonitorTarget {
  readonly isBatch: boolean;
  readonly pages: readonly CaptureOptions[];
}

/** A new monitor that a caller asks for; everything in it is valid. */
export interface MonitorRequest {
  readonly accountId: string;
  readonly name: string | undefined;
  readonly schedule: Schedule;
  readonly target: MonitorTarget;
  readonly alert: AlertRules;
  readonly keep: KeepRules;
  /** 0 for never. */
  readonly pauseAfterFailures: number;
  readonly webhookUrl: string | undefined;
  /** Receivers of the events in words. */
  readonly receivers: readonly Receiver[];
  readonly idempotency: Idempotency | undefined;
}

/** What a caller changes. What is missing stays. */
export interface MonitorChangeRequest {
  readonly name?: string;
  readonly schedule?: Schedule;
  readonly target?: MonitorTarget;
  readonly alert?: Partial<AlertRules>;
  readonly keep?: Partial<KeepRules>;
  readonly pauseAfterFailures?: number;
  /** Null removes it. */
  readonly webhookUrl?: string | null;
  readonly receivers?: readonly Receiver[];
}
