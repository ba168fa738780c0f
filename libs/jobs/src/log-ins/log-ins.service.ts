import { Injectable } from '@nestjs/common';
import { parseOptions } from '@app/capture';
import type { Transaction } from '@app/database';
import { AppError } from '@app/kernel';
import { logInOptions, SessionLifeRepository, SessionSecretsService, type Session } from '@app/sessions';
import { AcceptanceTransactionService } from '../acceptance/acceptance-transaction.service.js';
import { IntakeService } from '../acceptance/intake.service.js';
import type { NewJob } from '../acceptance/new-job.js';
import { NewJobFactory } from '../acceptance/new-job.factory.js';
import { FIRST, JobQueue } from '../queue/job-queue.js';

/** A session without the columns that a log-in does not read. */
type LoggingIn = Pick<Session, 'id' | 'accountId' | 'generation' | 'logIn' | 'check' | 'secrets'>;

/**
 * Logs sessions in. A log-in is a capture like any other: it is charged, leased and retried as a job, whose end is also the end of the
 * log-in. Captures wait for it, so it is dispatched at once, and takes no slot of its account.
 */
@Injectable()
export class LogInsService {
  constructor(
    private readonly transactions: AcceptanceTransactionService,
    private readonly intake: IntakeService,
    private readonly newJobs: NewJobFactory,
    private readonly sessions: SessionLifeRepository,
    private readonly secrets: SessionSecretsService,
    private readonly queue: JobQueue,
  ) {}

  /** Prepares `beginIn`. */
  prepare(): Promise<void> {
    return this.newJobs.refresh();
  }

  /**
   * Begins a log-in, unless one is open or has given the session another state meanwhile.
   *
   * @param isAsked a person asks for it, so that it may follow any number of failures
   * @throws AppError `allowance_exhausted`, `target_forbidden`, `secrets_unreadable`
   */
  async begin(session: LoggingIn, isAsked = false): Promise<void> {
    await this.prepare();
    await this.enqueue(
      await this.transactions.forOneRequest(undefined, async (transaction) => {
        if (isAsked) await this.sessions.reopen(transaction, session.id);
        return this.beginIn(transaction, session);
      }),
    );
  }

  /**
   * Makes a session usable again that cannot log in, once SECRETS_KEY is the one that its state was sealed with.
   *
   * @throws AppError `secrets_unreadable` while it is another one
   */
  async reinstate(session: Pick<Session, 'id' | 'generation' | 'state'>): Promise<void> {
    this.secrets.openState(session);
    await this.sessions.reinstate(session);
  }

  /** Begins a log-in as a part of a transaction, after which `enqueue` takes the job. Null when another log-in is open. */
  async beginIn(transaction: Transaction, session: LoggingIn): Promise<NewJob | null> {
    const job = this.jobOf(session);
    if (!(await this.sessions.beginLogIn(transaction, session, job.id))) return null;
    const [outcome] = await this.intake.accept(transaction, [{ job, idempotency: undefined }]);
    if (outcome?.kind === 'refused') throw outcome.error;
    return job;
  }

  /** Gives the job to a worker. If that fails, the upkeep adds it later. */
  async enqueue(job: NewJob | null): Promise<void> {
    if (job) await this.queue.add({ ...job, attempt: 0 }, { priority: FIRST });
  }

  /** @throws AppError `target_forbidden`, `secrets_unreadable` */
  private jobOf(session: LoggingIn): NewJob {
    const { id, accountId, logIn, check } = session;
    if (!logIn) throw new AppError('session_not_ready', { detail: 'The session has no login.' });
    const secrets = this.secrets.openSecrets(session);
    const options = parseOptions({ ...logInOptions(logIn, check, secrets), session: id });
    const origin = { accountId, source: 'sync', webhookUrl: null, requestId: null } as const;
    const job = this.newJobs.make({ ...origin, batchId: null, batchRow: null }, options);
    return { ...job, isLogIn: true };
  }
}
