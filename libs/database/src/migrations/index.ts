import { CreateAccounts1795000000000 } from './1795000000000-create-accounts.js';
import { CreateJobs1795000000001 } from './1795000000001-create-jobs.js';
import { CreateWorkers1795000000002 } from './1795000000002-create-workers.js';
import { CreateJobStatistics1795000000010 } from './1795000000010-create-job-statistics.js';

/** All migrations in their order. Listed by hand: a glob reads differently from dist, from Jest and from the CLI. */
export const MIGRATIONS = [
  CreateAccounts1795000000000,
  CreateJobs1795000000001,
  CreateWorkers1795000000002,
  CreateJobStatistics1795000000010,
];
