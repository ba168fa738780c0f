import { Injectable } from '@nestjs/common';
import { BatchFeedService } from '@app/bulk';
import { lockForAccount, type Transaction } from '@app/database';
import {
  AcceptanceTransactionService,
  assertSameRequest,
  IdempotencyKeyRepository,
  NewJobFactory,
  subjectIsGone,
} from '@app/jobs';
import { AppError, newId, SecretBox } from '@app/kernel';
import { traceContext } from '@app/tracing';
import { normalise } from './addresses/normalise.js';
import type { CrawlRequest } from './crawl-request.js';
import { MAX_OPEN_CRAWLS } from './crawl-rules.js';
import { CrawlRepository } from './crawl.repository.js';

/** A crawl that a request made, or that an earlier one with the same Idempotency-Key has made. */
export interface AcceptedCrawl {
  readonly id: string;
  readonly replayed: boolean;
}

/** Accepts crawls. */
@Injectable()
export class CrawlsService {
  constructor(
    private readonly transactions: AcceptanceTransactionService,
    private readonly keys: IdempotencyKeyRepository,
    private readonly crawls: CrawlRepository,
    private readonly feed: BatchFeedService,
    private readonly jobs: NewJobFactory,
    private readonly secretBox: SecretBox,
  ) {}

  /**
   * @throws AppError `target_forbidden`, `limit_reached`, those of the session; `idempotency_mismatch`, `idempotency_in_flight`, and
   * `result_expired` for a repeated request whose crawl is deleted
   */
  async create(request: CrawlRequest): Promise<AcceptedCrawl> {
    const { accountId, idempotency } = request;
    await this.assertCapturable(request);
    const id = newId();
    return this.transactions.forOneRequest(idempotency, async (transaction) => {
      const key = idempotency && { ...idempotency, accountId, subjectId: id };
      const [earlier] = key ? await this.keys.claim(transaction, [key]) : [];
      if (earlier) {
        assertSameRequest(earlier, idempotency?.fingerprint);
        if (!(await this.crawls.find(accountId, earlier.subjectId))) throw subjectIsGone();
        return { id: earlier.subjectId, replayed: true };
      }
      await this.assertRoom(transaction, accountId);
      await this.store(transaction, id, request);
      return { id, replayed: false };
    });
  }

  /** A start that is refused now would be refused later. */
  private async assertCapturable({ accountId, start }: CrawlRequest): Promise<void> {
    try {
      await this.jobs.prepare(accountId, start);
    } catch (error) {
      throw prefixPointers('/defaults', error);
    }
    const origin = { accountId, source: 'batch', webhookUrl: null, requestId: null } as const;
    this.jobs.make({ ...origin, batchId: null, batchRow: null }, start);
  }

  private async assertRoom(transaction: Transaction, accountId: string): Promise<void> {
    // Two requests at once would both find the last place free.
    await lockForAccount(transaction, 'crawls', accountId);
    if ((await this.crawls.countOpen(transaction, accountId)) < MAX_OPEN_CRAWLS) return;
    const detail = `The account has ${MAX_OPEN_CRAWLS} crawls that have not ended: wait for one, or cancel it.`;
    throw new AppError('limit_reached', { detail });
  }

  private async store(transaction: Transaction, id: string, request: CrawlRequest): Promise<void> {
    const { accountId, rules, defaults, webhookUrl, requestId } = request;
    const batchId = rules.dry_run ? null : newId();
    if (batchId !== null) {
      const origin = { accountId, webhookUrl, requestId, traceContext: traceContext() };
      await this.feed.open(transaction, { id: batchId, ...origin });
    }
    const url = normalise(request.url)?.href ?? request.url;
    await this.crawls.add(transaction, {
      id,
      accountId,
      batchId,
      url,
      rules,
      defaults: this.secretBox.seal(defaults, id),
    });
  }
}

/** An error of options as an error of the body that holds them; the address of the start has a field of its own. */
function prefixPointers(pointer: string, thrown: unknown): unknown {
  if (!(thrown instanceof AppError) || !thrown.facts.errors) return thrown;
  const errors = thrown.facts.errors.map((fault) => ({
    ...fault,
    pointer: fault.pointer === '/url' ? '/url' : `${pointer}${fault.pointer}`,
  }));
  return new AppError(thrown.code, { ...thrown.facts, errors });
}
