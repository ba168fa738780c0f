import { Injectable } from '@nestjs/common';
import { SecretBox, StartupError } from '@app/kernel';
import { newSecret } from './secret-format.js';
import { WebhookSecretRepository, type SealedSecrets } from './webhook-secret.repository.js';

/** For how long the previous secret signs beside the new one: what a receiver has to take over the new one. */
const OVERLAP_S = 86_400;

/** The secret that an account's webhooks are signed with; made when it is first needed. */
@Injectable()
export class WebhookSecretsService {
  constructor(
    private readonly secrets: WebhookSecretRepository,
    private readonly secretBox: SecretBox,
  ) {}

  /** What the receiver needs: `whsec_…`. */
  async current(accountId: string): Promise<string> {
    return this.open(accountId, (await this.ensure(accountId)).secret);
  }

  /** All that sign now, the current one first. */
  async signing(accountId: string): Promise<string[]> {
    const { secret, previous } = await this.ensure(accountId);
    return [secret, previous].flatMap((sealed) => (sealed ? [this.open(accountId, sealed)] : []));
  }

  /** Makes a new one; the one until now signs beside it for a day. */
  async rotate(accountId: string): Promise<string> {
    // With another key, what it sealed could not be opened by those who sign.
    await this.current(accountId);
    const secret = newSecret();
    await this.secrets.replace(accountId, this.seal(accountId, secret), OVERLAP_S);
    return secret;
  }

  private async ensure(accountId: string): Promise<SealedSecrets> {
    const known = await this.secrets.find(accountId);
    if (known) return known;
    await this.secrets.add(accountId, this.seal(accountId, newSecret()));
    const made = await this.secrets.find(accountId);
    if (!made) throw new Error(`The webhook secret of account ${accountId} is gone`);
    return made;
  }

  private seal(accountId: string, secret: string): Buffer {
    return this.secretBox.seal({ secret }, accountId);
  }

  private open(accountId: string, sealed: Buffer): string {
    try {
      return String(this.secretBox.open(sealed, accountId).secret);
    } catch (error) {
      throw new StartupError('SECRETS_KEY is not the one that the webhook secrets were sealed with.', {
        cause: error,
      });
    }
  }
}
