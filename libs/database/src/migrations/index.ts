import { CreateAccounts1795000000000 } from './1795000000000-create-accounts.js';
import { CreateJobs1795000000001 } from './1795000000001-create-jobs.js';
import { CreateWorkers1795000000002 } from './1795000000002-create-workers.js';
import { CreateJobStatistics1795000000010 } from './1795000000010-create-job-statistics.js';
import { DispatchJobs1795000000011 } from './1795000000011-dispatch-jobs.js';
import { CreateWebhooks1795000000012 } from './1795000000012-create-webhooks.js';
import { CreateIdempotencyKeys1795000000013 } from './1795000000013-create-idempotency-keys.js';
import { TakeTurns1795000000014 } from './1795000000014-take-turns.js';
import { ExpireRecords1795000000015 } from './1795000000015-expire-records.js';
import { LimitRates1795000000020 } from './1795000000020-limit-rates.js';
import { CreateLedger1795000000021 } from './1795000000021-create-ledger.js';
import { LeaseSlots1795000000022 } from './1795000000022-lease-slots.js';
import { CreateBatches1795000000030 } from './1795000000030-create-batches.js';
import { TakeTurnsByBatch1795000000031 } from './1795000000031-take-turns-by-batch.js';
import { BoundTexts1795000000040 } from './1795000000040-bound-texts.js';
import { DeleteCaptures1795000000050 } from './1795000000050-delete-captures.js';
import { CountPdfPages1795000000051 } from './1795000000051-count-pdf-pages.js';
import { FindHistory1795000000060 } from './1795000000060-find-history.js';
import { SumDays1795000000061 } from './1795000000061-sum-days.js';
import { NameOrphanedFiles1795000000070 } from './1795000000070-name-orphaned-files.js';
import { ReportPages1795000000071 } from './1795000000071-report-pages.js';
import { NameDefaults1795000000072 } from './1795000000072-name-defaults.js';
import { NameFilterLists1795000000073 } from './1795000000073-name-filter-lists.js';
import { KeepSeveralFiles1795000000074 } from './1795000000074-keep-several-files.js';
import { FindVerdicts1795000000075 } from './1795000000075-find-verdicts.js';
import { SplitPage1795000000076 } from './1795000000076-split-page.js';
import { FindEarlierCaptures1795000000077 } from './1795000000077-find-earlier-captures.js';
import { CacheCaptures1795000000078 } from './1795000000078-cache-captures.js';
import { CreateSigningSecrets1795000000079 } from './1795000000079-create-signing-secrets.js';
import { FindIdenticalJobs1795000000080 } from './1795000000080-find-identical-jobs.js';
import { CloseSharedFiles1795000000081 } from './1795000000081-close-shared-files.js';
import { PermitUnsafeMcp1795000000082 } from './1795000000082-permit-unsafe-mcp.js';
import { ListDeliveries1795000000083 } from './1795000000083-list-deliveries.js';
import { CountCharges1795000000084 } from './1795000000084-count-charges.js';
import { KeepTraceContext1795000000085 } from './1795000000085-keep-trace-context.js';
import { CreateConsoleSessions1795000000086 } from './1795000000086-create-console-sessions.js';
import { ReportOverlays1795000000091 } from './1795000000091-report-overlays.js';
import { ReportMissing1795000000092 } from './1795000000092-report-missing.js';
import { KeepPriorities1795000000130 } from './1795000000130-keep-priorities.js';
import { AnnounceFeatures1795000000150 } from './1795000000150-announce-features.js';
import { KeepOrderOfFields1795000000160 } from './1795000000160-keep-order-of-fields.js';
import { ReportRedirects1795000000161 } from './1795000000161-report-redirects.js';

/** All migrations in order. They are listed by hand, because a glob matches differently in dist, in Jest and in the CLI. */
export const MIGRATIONS = [
  CreateAccounts1795000000000,
  CreateJobs1795000000001,
  CreateWorkers1795000000002,
  CreateJobStatistics1795000000010,
  DispatchJobs1795000000011,
  CreateWebhooks1795000000012,
  CreateIdempotencyKeys1795000000013,
  TakeTurns1795000000014,
  ExpireRecords1795000000015,
  LimitRates1795000000020,
  CreateLedger1795000000021,
  LeaseSlots1795000000022,
  CreateBatches1795000000030,
  TakeTurnsByBatch1795000000031,
  BoundTexts1795000000040,
  DeleteCaptures1795000000050,
  CountPdfPages1795000000051,
  FindHistory1795000000060,
  SumDays1795000000061,
  NameOrphanedFiles1795000000070,
  ReportPages1795000000071,
  NameDefaults1795000000072,
  NameFilterLists1795000000073,
  KeepSeveralFiles1795000000074,
  FindVerdicts1795000000075,
  SplitPage1795000000076,
  FindEarlierCaptures1795000000077,
  CacheCaptures1795000000078,
  CreateSigningSecrets1795000000079,
  FindIdenticalJobs1795000000080,
  CloseSharedFiles1795000000081,
  PermitUnsafeMcp1795000000082,
  ListDeliveries1795000000083,
  CountCharges1795000000084,
  KeepTraceContext1795000000085,
  CreateConsoleSessions1795000000086,
  ReportOverlays1795000000091,
  ReportMissing1795000000092,
  KeepPriorities1795000000130,
  AnnounceFeatures1795000000150,
  KeepOrderOfFields1795000000160,
  ReportRedirects1795000000161,
];
