import { Injectable } from '@nestjs/common';
import { givenOptions, splitSecrets, type CaptureOptions } from '@app/capture';
import { Database } from '@app/database';
import { newId } from '@app/kernel';
import { EgressGuard } from '@app/outbound';
import { UsageService } from '@app/usage';
import type { Job } from './job.entity.js';
import { JobRepository, type NewJob } from './job.repository.js';
import type { JobSource } from './job-state.js';
import { JobQueue } from './queue/job-queue.js';
import { SecretBox } from './secret-box.js';

/** Beyond a capture's own timeout: time in the queue, and three attempts of it. A slot nobody frees is free then. */
const SLOT_SLACK_MS = 60_000;

/** The one way in: everything that must be true before a capture counts as accepted. */
@Injectable()
export class Acceptance {
  constructor(
    private readonly database: Database,
    private readonly repository: JobRepository,
    private readonly usage: UsageService,
    private readonly guard: EgressGuard,
    private readonly queue: JobQueue,
    private readonly secretBox: SecretBox,
  ) {}

  /**
   * Stores a capture as queued and hints the queue. Once this resolves, the capture reaches a final state, whatever
   * dies; when it rejects, nothing is stored.
   *
   * @throws AppError `target_forbidden`, `allowance_exhausted`, `concurrency_exceeded`
   */
  async accept(accountId: string, source: JobSource, options: CaptureOptions): Promise<Job> {
    const described = this.describe(newId(), options);
    const job = await this.database.transaction(async (transaction) => {
      // First, for it takes the lock that puts the account's acceptances in order.
      const usagePeriod = await this.usage.reserve(transaction, accountId);
      if (source === 'sync') {
        const holdMs = options.timeout_ms + SLOT_SLACK_MS;
        await this.usage.holdSlot(transaction, { accountId, jobId: described.id, holdMs });
      }
      return this.repository.add(transaction, { ...described, accountId, source, usagePeriod });
    });
    await this.queue.add('interactive', job.id);
    return job;
  }

  private describe(
    id: string,
    options: CaptureOptions,
  ): Omit<NewJob, 'accountId' | 'source' | 'usagePeriod'> {
    const url = options.url === undefined ? null : new URL(options.url);
    // `html` gets the origin of its base_url, so that is as much a target as a page's own address.
    const target = url ?? (options.base_url === undefined ? null : new URL(options.base_url));
    if (target) this.guard.admit(target);
    const { open, secrets } = splitSecrets(givenOptions(options));
    return {
      id,
      url: url?.href ?? null,
      host: url?.hostname ?? null,
      format: options.format,
      options: open,
      secrets: secrets && this.secretBox.seal(secrets, id),
      reference: options.reference ?? null,
      timeoutMs: options.timeout_ms,
    };
  }
}
