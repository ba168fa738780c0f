import { Injectable } from '@nestjs/common';
import { SigningSecretsService } from '@app/auth';
import { AppError, Clock } from '@app/kernel';
import { WebhookSecretsService } from '@app/webhooks';

/** A wrong key stays wrong until the process is started again, and probes come every few seconds. */
const CACHE_MS = 30_000;

/** Checks that SECRETS_KEY opens the secrets in the database. */
@Injectable()
export class SecretsHealthService {
  private last: { readonly result: Promise<void>; readonly until: number } | undefined;

  constructor(
    private readonly signing: SigningSecretsService,
    private readonly webhooks: WebhookSecretsService,
    private readonly clock: Clock,
  ) {}

  /** @throws AppError `secrets_unreadable`, or an error of the database */
  check(): Promise<void> {
    const now = this.clock.now().getTime();
    if (!this.last || now >= this.last.until) {
      const result = this.open();
      this.last = { result, until: now + CACHE_MS };
      // An outage of the database says nothing about the key.
      result.catch((error: unknown) => {
        if (!(error instanceof AppError)) this.last = undefined;
      });
    }
    return this.last.result;
  }

  private async open(): Promise<void> {
    await this.signing.check();
    await this.webhooks.check();
  }
}
