import { Injectable } from '@nestjs/common';
import { JobsService } from '@app/jobs';
import { AppError } from '@app/kernel';
import { SessionRepository, type Session } from '@app/sessions';

/** Ends sessions that their owners delete. */
@Injectable()
export class SessionEndService {
  constructor(
    private readonly repository: SessionRepository,
    private readonly jobs: JobsService,
  ) {}

  /** Deletes the state and the secrets at once, and stops a log-in that is open. Captures that run have their own copy. */
  async revoke({ id, accountId }: Session): Promise<void> {
    const logInJobId = await this.repository.revoke(accountId, id);
    if (logInJobId === null) return;
    await this.jobs.cancel(accountId, logInJobId, 'client_request').catch((error: unknown) => {
      // It has ended meanwhile, or its record was deleted.
      if (!(error instanceof AppError)) throw error;
    });
  }
}
