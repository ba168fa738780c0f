import type { Type } from '@nestjs/common';
import { AccountDeletionTask } from './account-deletion.task.js';
import { AccountingAuditTask } from './accounting-audit.task.js';
import { AuditExpiryTask } from './audit-expiry.task.js';
import { BatchAnnouncementTask } from './batch-announcement.task.js';
import { BrowserFoldersTask } from './browser-folders.task.js';
import { CrawlExpiryTask } from './crawl-expiry.task.js';
import { CrawlRunTask } from './crawl-run.task.js';
import { ExpiryTask } from './expiry.task.js';
import { FilterListsTask } from './filter-lists.task.js';
import { MonitorChecksTask } from './monitor-checks.task.js';
import { MonitorOutcomeTask } from './monitor-outcome.task.js';
import { MonitorScheduleTask } from './monitor-schedule.task.js';
import type { PeriodicTask } from './periodic-task.js';
import { ReconciliationTask } from './reconciliation.task.js';
import { SessionExpiryTask } from './session-expiry.task.js';
import { SettlementTask } from './settlement.task.js';
import { StatisticsTask } from './statistics.task.js';

/** Every periodic task of a worker. */
export const TASKS = [
  AccountDeletionTask,
  AccountingAuditTask,
  AuditExpiryTask,
  BatchAnnouncementTask,
  BrowserFoldersTask,
  CrawlExpiryTask,
  CrawlRunTask,
  ExpiryTask,
  FilterListsTask,
  MonitorChecksTask,
  MonitorOutcomeTask,
  MonitorScheduleTask,
  ReconciliationTask,
  SessionExpiryTask,
  SettlementTask,
  StatisticsTask,
] as const satisfies readonly Type<PeriodicTask>[];
