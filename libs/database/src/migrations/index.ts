import { Baseline1796000000000 } from './1796000000000-baseline.js';
import { ReportActions1796000000100 } from './1796000000100-report-actions.js';

/** All migrations in order. They are listed by hand, because a glob matches differently in dist, in Jest and in the CLI. */
export const MIGRATIONS = [Baseline1796000000000, ReportActions1796000000100];
