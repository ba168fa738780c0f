import { Injectable } from '@nestjs/common';
import { BatchBacklogRepository, type UnfinishedBatch } from '@app/bulk';
import {
  JobBacklogRepository,
  MAX_ACCOUNTS,
  QueueOverviewRepository,
  type InFlightForHost,
  type WaitingOfAccount,
} from '@app/jobs';
import { Clock } from '@app/kernel';
import { AccountsService, type Account } from '@app/usage';
import { stateOf } from './account.response.js';
import { loadsBy, loadsOfLanes, type LoadOf } from './queue-load.js';
import type { AccountLoad, QueueList, QueueOverview, UnfinishedBatchRecord } from './queue.response.js';

/** The entries of a list. */
const MAX_LISTED = 100;

/** Shows operators what waits and runs, by account and host. */
@Injectable()
export class QueueAdministrationService {
  constructor(
    private readonly backlog: JobBacklogRepository,
    private readonly queue: QueueOverviewRepository,
    private readonly batches: BatchBacklogRepository,
    private readonly accounts: AccountsService,
    private readonly clock: Clock,
  ) {}

  /** @param accountId the only account that is shown, apart from the lanes */
  async read(accountId?: string): Promise<QueueOverview> {
    // One after the other: a reading uses one connection of the pool.
    const lanes = loadsOfLanes(await this.backlog.read());
    const waiting = await this.queue.listWaitingAccounts(accountId);
    const waitingForHosts = await this.queue.listWaitingHosts(accountId);
    const inFlight = await this.queue.listInFlight(accountId);
    const batches = await this.batches.listUnfinished(MAX_LISTED + 1, accountId);
    const nowMs = this.clock.now().getTime();
    const loads = loadsOfAccounts(waiting, inFlight, nowMs);
    const hosts = loadsBy(({ host }) => host, { waiting: waitingForHosts, inFlight, nowMs });
    const areMore = {
      accounts: loads.length > MAX_LISTED || waiting.length === MAX_ACCOUNTS,
      hosts: hosts.length > MAX_LISTED,
      batches: batches.length > MAX_LISTED,
    };
    const shown = { loads: loads.slice(0, MAX_LISTED), batches: batches.slice(0, MAX_LISTED) };
    const known = await this.accountsOf([
      ...shown.loads.map(({ key }) => key),
      ...shown.batches.map((batch) => batch.accountId),
    ]);
    return {
      lanes,
      accounts: shown.loads.map((load) => toAccountLoad(load, known.get(load.key))),
      hosts: hosts.slice(0, MAX_LISTED).map(({ key, ...load }) => ({ host: key, ...load })),
      batches: shown.batches.map((batch) => toBatch(batch, known.get(batch.accountId))),
      truncated: (['accounts', 'hosts', 'batches'] satisfies QueueList[]).filter((list) => areMore[list]),
    };
  }

  private async accountsOf(ids: readonly string[]): Promise<ReadonlyMap<string, Account>> {
    const accounts = await this.accounts.listByIds([...new Set(ids)]);
    return new Map(accounts.map((account) => [account.id, account]));
  }
}

function loadsOfAccounts(
  waiting: readonly WaitingOfAccount[],
  inFlight: readonly InFlightForHost[],
  nowMs: number,
): LoadOf<string>[] {
  const withoutHost = waiting.map((account) => ({ ...account, host: null }));
  return loadsBy(({ accountId }) => accountId, { waiting: withoutHost, inFlight, nowMs });
}

/** @param account undefined for one that was deleted in between */
function toAccountLoad({ key, ...load }: LoadOf<string>, account: Account | undefined): AccountLoad {
  return {
    account_id: key,
    account: account?.name ?? key,
    state: account ? stateOf(account) : 'deleting',
    ...load,
  };
}

function toBatch(
  { accountId, createdAt, ...batch }: UnfinishedBatch,
  account: Account | undefined,
): UnfinishedBatchRecord {
  const { id, status, total, queued, running } = batch;
  return {
    id,
    account_id: accountId,
    account: account?.name ?? accountId,
    status,
    total,
    queued,
    running,
    created_at: createdAt.toISOString(),
  };
}
