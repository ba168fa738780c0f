import { Baseline1796000000000 } from './1796000000000-baseline.js';
import { ReportActions1796000000100 } from './1796000000100-report-actions.js';
import { CaptureFiles1796000000200 } from './1796000000200-capture-files.js';
import { Sessions1796000000300 } from './1796000000300-sessions.js';
import { Monitors1796000000400 } from './1796000000400-monitors.js';
import { Slices1796000000450 } from './1796000000450-slices.js';
import { Crawls1796000000500 } from './1796000000500-crawls.js';
import { Operators1796000000600 } from './1796000000600-operators.js';
import { SingleSignOn1796000000650 } from './1796000000650-single-sign-on.js';
import { Channels1796000000700 } from './1796000000700-channels.js';
import { JobWaits1796000000800 } from './1796000000800-job-waits.js';
import { CrawlPauses1796000000900 } from './1796000000900-crawl-pauses.js';
import { Operations1796000001000 } from './1796000001000-operations.js';
import { AuditAppendOnly1796000001100 } from './1796000001100-audit-append-only.js';
import { QuotedCaptures1796000001200 } from './1796000001200-quoted-captures.js';
import { SignOnSessions1796000001300 } from './1796000001300-sign-on-sessions.js';

/** All migrations in order. They are listed by hand, because a glob matches differently in dist, in Jest and in the CLI. */
export const MIGRATIONS = [
  Baseline1796000000000,
  ReportActions1796000000100,
  CaptureFiles1796000000200,
  Sessions1796000000300,
  Monitors1796000000400,
  Slices1796000000450,
  Crawls1796000000500,
  Operators1796000000600,
  SingleSignOn1796000000650,
  Channels1796000000700,
  JobWaits1796000000800,
  CrawlPauses1796000000900,
  Operations1796000001000,
  AuditAppendOnly1796000001100,
  QuotedCaptures1796000001200,
  SignOnSessions1796000001300,
];
