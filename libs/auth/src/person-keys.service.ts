import { Injectable } from '@nestjs/common';
import type { Actor } from '@app/audit';
import type { Transaction } from '@app/database';
import type { ApiKey } from './api-key.entity.js';
import { ApiKeyRepository } from './api-key.repository.js';
import { ApiKeysService } from './api-keys.service.js';
import type { Scope } from './scopes.js';

/** A person who logs in by single sign-on. */
export interface Person {
  /** The issuer and its subject: the only name that the provider gives to nobody else. */
  readonly id: string;
  /** How people call the person; it decides nothing. */
  readonly name: string;
}

/** What a person may do in an account. */
export interface AccountGrant {
  readonly accountId: string;
  readonly scopes: readonly Scope[];
}

/**
 * The keys as which people act who log in by single sign-on: one for each person and account. Nobody knows their secrets, so
 * that they work in sessions of the console only. A key whose scopes the person no longer has is revoked, and its sessions end.
 */
@Injectable()
export class PersonKeysService {
  constructor(
    private readonly repository: ApiKeyRepository,
    private readonly keys: ApiKeysService,
  ) {}

  /** Makes the keys of a person those that are granted now, in a transaction that has locked their accounts. Returns their ids. */
  async settle(
    transaction: Transaction,
    { person, by }: { readonly person: Person; readonly by: Actor },
    grants: readonly AccountGrant[],
  ): Promise<string[]> {
    const current = await this.repository.lockUnrevoked(transaction, { person: person.id });
    const kept = grants.map((grant) => current.find((key) => isFor(key, grant)));
    for (const key of current) {
      if (!kept.includes(key)) await this.keys.revokeIn(transaction, key, by);
    }
    const ids: string[] = [];
    for (const [i, { accountId, scopes }] of grants.entries()) {
      const owner = { accountId, name: person.name, person: person.id };
      const key = kept[i] ?? (await this.keys.createIn(transaction, owner, { scopes: [...scopes], by }));
      ids.push(key.id);
    }
    return ids;
  }
}

function isFor(key: ApiKey, { accountId, scopes }: AccountGrant): boolean {
  return (
    key.accountId === accountId &&
    key.scopes.length === scopes.length &&
    scopes.every((scope) => key.scopes.includes(scope))
  );
}
