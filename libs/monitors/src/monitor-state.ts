import type { NoticeChannel } from '@app/webhooks';

/**
 * The states of a monitor and of its checks.
 *
 *   active → paused      (the caller, too many failures in a row, or an allowance at its end)
 *   paused → active      (the caller)
 *
 * A check is open from its instant to its outcome. Each move is one conditional UPDATE.
 */
export const MONITOR_STATES = ['active', 'paused'] as const;
export type MonitorState = (typeof MONITOR_STATES)[number];

export const PAUSE_REASONS = ['request', 'failures', 'allowance'] as const;
export type PauseReason = (typeof PAUSE_REASONS)[number];

/** `ignored`: the page was not what the monitor watches, or could not be compared; it never becomes an alert. */
export const CHECK_OUTCOMES = ['same', 'changed', 'failed', 'ignored', 'skipped'] as const;
export type CheckOutcome = (typeof CHECK_OUTCOMES)[number];

/**
 * Why a check has its outcome, where that is not obvious. `first`: there was nothing to compare with. `unconfirmed`: the change was
 * gone when the page was captured again. `small`: below `min_ratio`. `verdict`: the page was not a page, such as a bot wall.
 * `baseline_missing`: the file to compare with is gone, so that this capture replaces it. `not_compared`: comparing failed.
 * The others are those of skipped checks; `replaced`: what the monitor captures was changed meanwhile.
 */
export const CHECK_REASONS = [
  'first',
  'unconfirmed',
  'small',
  'verdict',
  'baseline_missing',
  'not_compared',
  'overlap',
  'paused',
  'allowance',
  'replaced',
] as const;
export type CheckReason = (typeof CHECK_REASONS)[number];

export const TRIGGERS = ['schedule', 'request'] as const;
export type Trigger = (typeof TRIGGERS)[number];

/** The events that a monitor may be asked to send; `paused` is always sent. */
export const ALERTS = ['changed', 'failed', 'recovered'] as const;
export type AlertKind = (typeof ALERTS)[number];

/** What counts as a change, and which events are sent. */
export interface AlertRules {
  readonly on: readonly AlertKind[];
  /** Smaller changes are no change. */
  readonly min_ratio: number;
  /** Captures that must show a change before it is reported. */
  readonly confirm: number;
  readonly ignore_selectors: readonly string[];
}

/** A receiver of events, as callers see it: nobody gets the address again. */
export type ShownReceiver =
  | { readonly type: Exclude<NoticeChannel, 'email'>; readonly url: string }
  | { readonly type: 'email'; readonly to: string };

/** How many captures of each kind keep their files. */
export interface KeepRules {
  readonly unchanged: number;
  readonly changed: number;
}
