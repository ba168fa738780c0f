import { Injectable } from '@nestjs/common';
import { AuditRepository, COMMAND, type Change } from '@app/audit';
import { DatabaseService, type Transaction } from '@app/database';
import { SecretBox } from '@app/kernel';
import { generateSigningSecret } from './key-format.js';
import { SigningSecretRepository, type SealedSigningKey } from './signing-secret.repository.js';

export interface SigningSecret {
  readonly secret: string;
  readonly createdAt: Date;
}

/** A valid key that may sign links, with its signing secrets. */
export interface SigningKey {
  readonly keyId: string;
  readonly accountId: string;
  readonly name: string;
  /** Patterns of the hosts that its links may show; null for all. */
  readonly allowedHosts: readonly string[] | null;
  /** Whether each of its links must state when it expires. */
  readonly linksExpire: boolean;
  /** The secret to sign with. */
  readonly current: SigningSecret;
  /** The secret before it, whose links are still valid. */
  readonly previous: SigningSecret | null;
}

/**
 * The secrets that sign the links of a key. The first one is generated when it is first needed. Links in pages live long,
 * so that only the operator knows when the previous secret is not needed any more: nothing else retires it.
 */
@Injectable()
export class SigningSecretsService {
  constructor(
    private readonly repository: SigningSecretRepository,
    private readonly secretBox: SecretBox,
    private readonly database: DatabaseService,
    private readonly audit: AuditRepository,
  ) {}

  /** The secrets of a key, of which it has at least one from now on. Null if there is no such key, or if it is revoked. */
  async ensure(keyId: string): Promise<SigningKey | null> {
    const found = await this.repository.find(keyId);
    if (!found || found.secret) return found && this.open(keyId, found);
    await this.repository.add(keyId, this.seal(keyId, generateSigningSecret()));
    const added = await this.repository.find(keyId);
    return added && this.open(keyId, added);
  }

  /** The secrets of a key. Null also if it has none. */
  async find(keyId: string): Promise<SigningKey | null> {
    const found = await this.repository.find(keyId);
    return found && this.open(keyId, found);
  }

  /**
   * Generates a new secret, beside which the current one stays valid. False if two are valid already. All processes know
   * the new secret within 5 s.
   */
  async rotate(keyId: string): Promise<boolean> {
    // Fails if SECRETS_KEY is wrong; the API could not open a secret that it sealed.
    await this.ensure(keyId);
    const sealed = this.seal(keyId, generateSigningSecret());
    return this.change(keyId, { action: 'key.signing_secret_rotated' }, (transaction) =>
      this.repository.replace(transaction, keyId, sealed),
    );
  }

  /** Ends the previous secret: links that it signed stop working within 5 s. False if there is none. */
  retire(keyId: string): Promise<boolean> {
    return this.change(keyId, { action: 'key.signing_secret_retired' }, (transaction) =>
      this.repository.deletePrevious(transaction, keyId),
    );
  }

  /** False if links of the key had to expire, or had not to, before. */
  setLinksExpire(keyId: string, linksExpire: boolean): Promise<boolean> {
    const facts = { before: { links_expire: !linksExpire }, after: { links_expire: linksExpire } };
    return this.change(keyId, { action: 'key.changed', ...facts }, (transaction) =>
      this.repository.setLinksExpire(transaction, keyId, linksExpire),
    );
  }

  /** Opens the oldest secret. @throws AppError `secrets_unreadable` when SECRETS_KEY is another one than sealed it */
  async check(): Promise<void> {
    const row = await this.repository.findAny();
    if (row) this.secretBox.open(row.secret, row.keyId);
  }

  /** Records a change in its transaction, if it changes anything. Only commands on the machine make it. */
  private async change(
    keyId: string,
    event: Pick<Change, 'action' | 'before' | 'after'>,
    make: (transaction: Transaction) => Promise<boolean>,
  ): Promise<boolean> {
    const accountId = (await this.repository.find(keyId))?.accountId ?? null;
    return this.database.transaction(async (transaction) => {
      if (!(await make(transaction))) return false;
      await this.audit.record(transaction, COMMAND, { accountId, subjectId: keyId, ...event });
      return true;
    });
  }

  private open(keyId: string, row: SealedSigningKey): SigningKey | null {
    const { accountId, name, allowedHosts, linksExpire } = row;
    const current = this.opened(keyId, row.secret, row.createdAt);
    const previous = this.opened(keyId, row.previous, row.previousCreatedAt);
    return current && { keyId, accountId, name, allowedHosts, linksExpire, current, previous };
  }

  private opened(keyId: string, sealed: Buffer | null, createdAt: Date | null): SigningSecret | null {
    if (!sealed || !createdAt) return null;
    return { secret: String(this.secretBox.open(sealed, keyId).secret), createdAt };
  }

  private seal(keyId: string, secret: string): Buffer {
    return this.secretBox.seal({ secret }, keyId);
  }
}
