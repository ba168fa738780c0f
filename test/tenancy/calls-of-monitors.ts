import { ResultLifeRepository } from '../../libs/jobs/src/job/result-life.repository.js';
import { CheckRepository } from '../../libs/monitors/src/check.repository.js';
import { MonitorRepository } from '../../libs/monitors/src/monitor.repository.js';
import { OpenCheckRepository } from '../../libs/monitors/src/outcomes/open-check.repository.js';
import { SettlementRepository } from '../../libs/monitors/src/outcomes/settlement.repository.js';
import { DueMonitorRepository } from '../../libs/monitors/src/scheduling/due-monitor.repository.js';
import { allRows, callsOf, guarded, ownRows } from './calls.js';
import { SAME, type Owned } from './owned-rows.js';

const UPKEEP = 'Workers look after the monitors of all accounts.';
const PAGE = { limit: 10, cursor: undefined };
const pageOf = ({ monitors }: Owned) => ({ monitorId: monitors.active, page: 1 });
const newPageOf = ({ accountId, monitors, unused }: Owned) => {
  const place = { monitorId: monitors.due, page: 1, id: unused, accountId };
  return { ...place, options: {}, defaultNames: null, secrets: null };
};
const newMonitorOf = ({ accountId, name, unused }: Owned) => ({
  id: unused,
  accountId,
  name,
  cron: null,
  timezone: null,
  everyS: 60,
  isBatch: false,
  host: SAME.host,
  alert: { on: [], min_ratio: 0, confirm: 1, ignore_selectors: [] },
  keep: { unchanged: 1, changed: 1 },
  pauseAfterFailures: null,
  webhookUrl: null,
  nextDueAt: null,
  nextRunAt: null,
  notify: [],
  receivers: null,
});
const newCheckOf = ({ accountId, monitors, unused }: Owned) => ({
  id: unused,
  monitorId: monitors.due,
  accountId,
  page: 1,
  url: null,
  dueAt: new Date(0),
  missed: 0,
  trigger: 'schedule' as const,
  jobId: null,
  outcome: 'skipped' as const,
  reason: 'overlap' as const,
});

export const CALLS_OF_MONITORS = [
  callsOf(CheckRepository, {
    add: ownRows((checks, owned, transaction) => checks.add(transaction, [newCheckOf(owned)])),
    deleteMonitorsOf: ownRows((checks, { accountId }) => checks.deleteMonitorsOf(accountId)),
    purge: allRows('The upkeep deletes old checks of all accounts.'),
    listLatest: ownRows((checks, { monitors }) => checks.listLatest([monitors.active])),
    list: ownRows((checks, { monitors }) => checks.list(monitors.active, {}, PAGE)),
  }),
  callsOf(MonitorRepository, {
    add: ownRows((repository, owned, transaction) =>
      repository.add(transaction, newMonitorOf(owned), [{ ...newPageOf(owned), monitorId: owned.unused }]),
    ),
    addPages: ownRows((repository, owned, transaction) =>
      repository.addPages(transaction, [newPageOf(owned)]),
    ),
    removePages: ownRows((repository, { monitors }, transaction) =>
      repository.removePages(transaction, monitors.active),
    ),
    count: ownRows((repository, { accountId }, transaction) => repository.count(transaction, accountId)),
    find: guarded((repository, { accountId, monitors }) => repository.find(accountId, monitors.active)),
    lock: guarded((repository, { accountId, monitors }, transaction) =>
      repository.lock(transaction, accountId, monitors.active),
    ),
    now: allRows('It reads no rows of accounts.'),
    change: ownRows((repository, { monitors }, transaction) =>
      repository.change(transaction, monitors.active, { name: 'another' }),
    ),
    remove: guarded((repository, { accountId, monitors }, transaction) =>
      repository.remove(transaction, accountId, monitors.active),
    ),
    listPages: ownRows((repository, { monitors }) => repository.listPages([monitors.active])),
    list: ownRows((repository, { accountId }) => repository.list(accountId, {}, PAGE)),
  }),
  callsOf(DueMonitorRepository, {
    dueForMs: allRows(UPKEEP),
    lock: allRows(UPKEEP),
    describe: ownRows(async (repository, { monitors }, transaction) => {
      const found = await repository.describe(transaction, [{ id: monitors.active } as never]);
      return { busy: [...found.busy], pages: [...found.pages] };
    }),
    moveOn: ownRows((repository, { monitors }, transaction) =>
      repository.moveOn(transaction, [{ id: monitors.due, dueAt: null, runAt: null }]),
    ),
  }),
  callsOf(OpenCheckRepository, {
    listEnded: allRows(UPKEEP),
    lockMonitors: ownRows((open, { monitors }, transaction) =>
      open.lockMonitors(transaction, [monitors.active]),
    ),
    listOpen: ownRows((open, { monitors }, transaction) => open.listOpen(transaction, [monitors.active])),
    listPages: ownRows((open, { monitors }, transaction) => open.listPages(transaction, [monitors.active])),
    historyOf: ownRows((open, { monitors }, transaction) =>
      open.historyOf(transaction, { monitorId: monitors.active, page: 1 }),
    ),
    goOn: ownRows((open, { monitors, jobs }, transaction) =>
      open.goOn(transaction, { id: monitors.open }, jobs.running),
    ),
  }),
  callsOf(SettlementRepository, {
    endChecks: ownRows(async (ends, { monitors }, transaction) => [
      ...(await ends.endChecks(transaction, [
        { id: monitors.open, outcome: 'same', reason: null, change: null, error: null },
      ])),
    ]),
    updatePages: ownRows((ends, owned, transaction) =>
      ends.updatePages(transaction, [{ ...pageOf(owned), baselineId: owned.jobs.succeeded, failures: 3 }]),
    ),
    pause: ownRows((ends, { monitors }, transaction) =>
      ends.pause(transaction, { id: monitors.active }, 'request'),
    ),
    hasFailedForGood: ownRows((ends, { monitors }, transaction) =>
      ends.hasFailedForGood(transaction, { id: monitors.active, pauseAfterFailures: 1 }),
    ),
    releaseFiles: ownRows((ends, owned, transaction) => ends.releaseFiles(transaction, [pageOf(owned)])),
  }),
  callsOf(ResultLifeRepository, {
    extend: ownRows((files, { jobs }, transaction) => files.extend(transaction, [jobs.succeeded], 9_999_999)),
    end: ownRows((files, { jobs }, transaction) => files.end(transaction, [jobs.succeeded])),
  }),
];
