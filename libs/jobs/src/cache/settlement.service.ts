import { Injectable } from '@nestjs/common';
import { DatabaseService, type Transaction } from '@app/database';
import { openSpan } from '@app/tracing';
import { UsageService } from '@app/usage';
import { JobAnnouncerService } from '../job/job-announcer.service.js';
import { sendSignal } from '../signals/signals.js';
import { FollowerRepository, type DueFollower } from './follower.repository.js';
import { JobCacheService } from './job-cache.service.js';

/**
 * Settles jobs that follow others, once those are final:
 *
 *   the followed job has files                      the follower succeeds with them, and its unit is returned
 *   it failed with a permanent error                the follower fails with the same error
 *   it failed with a transient error, was canceled  the follower waits again, and the dispatcher elects the next leader
 *   or has lost its files or its record
 *
 * One process settles at a time. Followers are found by their rows, not by signals, so that none waits for one that was lost.
 */
@Injectable()
export class SettlementService {
  constructor(
    private readonly database: DatabaseService,
    private readonly followers: FollowerRepository,
    private readonly cache: JobCacheService,
    private readonly usage: UsageService,
    private readonly announcer: JobAnnouncerService,
  ) {}

  /** Settles all followers that can be, some hundred of one account in each transaction. Returns their number. */
  async settleAll(signal: AbortSignal): Promise<number> {
    let settled = 0;
    for (let some = 1; some > 0 && !signal.aborted; settled += some) {
      const followedIds = await this.followers.listFollowed();
      if (followedIds.length === 0) break;
      some =
        (await this.database.tryLockedTransaction('settle', (transaction) =>
          this.settle(transaction, followedIds),
        )) ?? 0;
    }
    return settled;
  }

  private async settle(transaction: Transaction, followedIds: readonly string[]): Promise<number> {
    const due = await this.followers.lockDue(transaction, followedIds);
    const succeeded = await this.succeed(transaction, due);
    const failed = await this.followers.fail(transaction, idsOf(due.filter(({ left }) => left === 'error')));
    const ended = due.filter(({ jobId }) => succeeded.has(jobId) || failed.has(jobId));
    await this.release(transaction, idsOf(due.filter((follower) => !ended.includes(follower))));
    await this.finalize(transaction, ended);
    for (const follower of ended) trace(follower);
    return due.length;
  }

  private succeed(transaction: Transaction, due: readonly DueFollower[]): Promise<Set<string>> {
    const served = due.filter(({ left }) => left === 'files');
    const answers = served.map(({ jobId, followedId, status }) => ({ jobId, captureId: followedId, status }));
    return this.cache.answer(transaction, answers);
  }

  /** They made no visit of their own, so that their units are returned although they may have succeeded. */
  private async finalize(transaction: Transaction, ended: readonly DueFollower[]): Promise<void> {
    if (ended.length === 0) return;
    await this.usage.release(transaction, ended);
    await this.announcer.announceAll(transaction, idsOf(ended));
    // Callers who watch a row of a batch poll as well, and a signal for each of thousands would wake all processes.
    const single = ended.filter(({ batchId }) => batchId === null);
    await sendSignal(transaction, 'finished', idsOf(single));
  }

  private async release(transaction: Transaction, ids: readonly string[]): Promise<void> {
    const [first] = ids;
    if (first === undefined) return;
    await this.followers.release(transaction, ids);
    await sendSignal(transaction, 'waiting', [first]);
  }
}

/** The visit is in the trace of the followed job. */
function trace(follower: DueFollower): void {
  const { jobId, followedId, status, createdAt, traceContext: parent } = follower;
  if (parent === null) return;
  const facts = { 'capture.id': jobId, 'capture.followed.id': followedId, 'capture.cache': status };
  const span = openSpan('capture.follow', { parent, startedAt: createdAt.getTime(), facts });
  span.link(follower.followedTraceContext);
  span.end();
}

function idsOf(followers: readonly DueFollower[]): string[] {
  return followers.map(({ jobId }) => jobId);
}
