/**
 * Monitors: pages that are captured on a schedule and compared with how they were. It makes captures as callers do, and decides
 * from what they found whether something changed. It never captures or compares a page itself, and never asks the clock of its
 * process whether an instant has come.
 */
export { CheckRepository } from './check.repository.js';
export { MonitorChecksModule } from './monitor-checks.module.js';
export { MonitorChangeService } from './monitor-change.service.js';
export { MonitorControlService } from './monitor-control.service.js';
export { MonitorRecordsService, type RecordPage } from './monitor-records.service.js';
export type { ChangePictures, CheckRecord, MonitorRecord, MonitorSummary } from './monitor-record.js';
export {
  MAX_PAGES,
  type MonitorChangeRequest,
  type MonitorRequest,
  type MonitorTarget,
} from './monitor-request.js';
export {
  ALERTS,
  CHECK_OUTCOMES,
  CHECK_REASONS,
  MONITOR_STATES,
  PAUSE_REASONS,
  TRIGGERS,
  type AlertKind,
  type AlertRules,
  type CheckOutcome,
  type MonitorState,
  type ShownReceiver,
} from './monitor-state.js';
export { MonitorsModule } from './monitors.module.js';
export { MonitorsService } from './monitors.service.js';
export { isLearntNoise, NOISE_CHECKS } from './outcomes/learnt-noise.js';
export { OutcomeService } from './outcomes/outcome.service.js';
export {
  cronFault,
  MAX_CRON_LENGTH,
  MAX_EVERY_S,
  MIN_EVERY_S,
  timezoneFault,
  upcomingInstants,
  type Schedule,
} from './schedule/schedule.js';
export { SchedulerService } from './scheduling/scheduler.service.js';
