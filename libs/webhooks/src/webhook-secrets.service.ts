import { Injectable } from '@nestjs/common';
import { AuditRepository, COMMAND, type Actor } from '@app/audit';
import { DatabaseService } from '@app/database';
import { SecretBox } from '@app/kernel';
import { newSecret } from './signature.js';
import { WebhookSecretRepository, type SealedSecrets } from './webhook-secret.repository.js';

/** The previous secret signs together with the new one for this long, so that receivers have time to change it. */
const OVERLAP_S = 86_400;

/** Rotations within this time count as one, so that a request that is repeated does not invalidate the known secret. */
const PAUSE_S = 60;

/** The current secret of an account, and how long the previous one also signs. */
export interface WebhookSecret {
  /** `whsec_…` */
  readonly secret: string;
  readonly createdAt: Date;
  /** Null when only the current secret signs. */
  readonly previousUntil: Date | null;
}

/** The secrets that sign an account's webhooks. The first one is generated when it is first needed. */
@Injectable()
export class WebhookSecretsService {
  constructor(
    private readonly secrets: WebhookSecretRepository,
    private readonly secretBox: SecretBox,
    private readonly database: DatabaseService,
    private readonly audit: AuditRepository,
  ) {}

  /** The secret that a receiver needs to verify webhooks: `whsec_…`. */
  async current(accountId: string): Promise<string> {
    return (await this.show(accountId)).secret;
  }

  async show(accountId: string): Promise<WebhookSecret> {
    const { secret, createdAt, previousUntil } = await this.ensure(accountId);
    return { secret: this.open(accountId, secret), createdAt, previousUntil };
  }

  /** All secrets that sign now, the current one first. */
  async signing(accountId: string): Promise<string[]> {
    const { secret, previous } = await this.ensure(accountId);
    return [secret, previous].flatMap((sealed) => (sealed ? [this.open(accountId, sealed)] : []));
  }

  /**
   * Generates a new secret, and returns it. The previous one signs together with it for a day, and a still earlier one no
   * longer. A second rotation within a minute changes nothing and returns the secret of the first.
   */
  async rotate(accountId: string, by: Actor = COMMAND): Promise<string> {
    // Fails if SECRETS_KEY is wrong; senders could not open a secret that it sealed.
    await this.current(accountId);
    const rotation = { secret: this.seal(accountId, newSecret()), overlapS: OVERLAP_S, pauseS: PAUSE_S };
    await this.database.transaction(async (transaction) => {
      if (!(await this.secrets.replace(transaction, accountId, rotation))) return;
      const change = { action: 'account.webhook_secret_rotated', accountId, subjectId: accountId } as const;
      await this.audit.record(transaction, by, { ...change, after: { overlap_s: OVERLAP_S } });
    });
    return this.current(accountId);
  }

  /** Opens the oldest secret. @throws AppError `secrets_unreadable` when SECRETS_KEY is another one than sealed it */
  async check(): Promise<void> {
    const row = await this.secrets.findAny();
    if (row) this.open(row.accountId, row.secret);
  }

  private async ensure(accountId: string): Promise<SealedSecrets> {
    const found = await this.secrets.find(accountId);
    if (found) return found;
    await this.secrets.add(accountId, this.seal(accountId, newSecret()));
    const added = await this.secrets.find(accountId);
    if (!added) throw new Error(`The webhook secret of account ${accountId} is gone`);
    return added;
  }

  private seal(accountId: string, secret: string): Buffer {
    return this.secretBox.seal({ secret }, accountId);
  }

  private open(accountId: string, sealed: Buffer): string {
    return String(this.secretBox.open(sealed, accountId).secret);
  }
}
