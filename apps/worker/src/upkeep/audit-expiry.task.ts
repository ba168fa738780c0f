import { Injectable } from '@nestjs/common';
import { AuditRepository } from '@app/audit';
import { Env } from '@app/config';
import type { PeriodicTask } from './periodic-task.js';

/** Deletes the events of the audit trail that are old. */
@Injectable()
export class AuditExpiryTask implements PeriodicTask {
  readonly name = 'audit';
  readonly periodMs = 60_000;

  constructor(
    private readonly audit: AuditRepository,
    private readonly env: Env,
  ) {}

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (await this.audit.purge(this.env.AUDIT_TTL_S)) > 0);
  }
}
