import { Injectable } from '@nestjs/common';
import { Env } from '@app/config';
import { SessionRepository } from '@app/sessions';
import type { PeriodicTask } from './periodic-task.js';

/** Deletes the states of sessions whose time has passed, and the rows of sessions that were deleted as long ago as records are kept. */
@Injectable()
export class SessionExpiryTask implements PeriodicTask {
  readonly name = 'sessions';
  readonly periodMs = 60_000;

  constructor(
    private readonly sessions: SessionRepository,
    private readonly env: Env,
  ) {}

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (await this.sessions.expire()) > 0);
    while (!signal.aborted && (await this.sessions.purge(this.env.RECORD_TTL_S)) > 0);
  }
}
