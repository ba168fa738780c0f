import { Injectable } from '@nestjs/common';
import type { Actor } from '@app/audit';
import { ApiKeysService, type ApiKey, type NewKey } from '@app/auth';
import { DatabaseService } from '@app/database';
import { AppError, Clock, parse } from '@app/kernel';
import { AccountsService } from '@app/usage';
import { pageOf } from '../http/page.query.js';
import type { KeysQuery } from './admin.query.js';
import { readNewKey, RotationBody } from './key.fields.js';
import { toKeyRecord, type KeyList, type KeyRecord, type NewKeyRecord } from './key.response.js';

/** Manages keys for operators who call the API. */
@Injectable()
export class KeyAdministrationService {
  constructor(
    private readonly keys: ApiKeysService,
    private readonly accounts: AccountsService,
    private readonly database: DatabaseService,
    private readonly clock: Clock,
  ) {}

  async list(query: KeysQuery): Promise<KeyList> {
    const { items, nextCursor } = await this.keys.listPage(query.account_id, pageOf(query));
    return { items: items.map(toKeyRecord), next_cursor: nextCursor };
  }

  /** @throws AppError `not_found` */
  async show(id: string): Promise<KeyRecord> {
    return toKeyRecord(await this.find(id));
  }

  /** @throws AppError `invalid_request`, `admin_key` for the scope `admin`, `not_found` or `account_state` for the account */
  async create(body: unknown, by: Actor): Promise<NewKeyRecord> {
    const { accountId, name, settings } = readNewKey(body, this.clock.now());
    const created = await this.database.transaction(async (transaction) => {
      const account = await this.accounts.lockUndeleted(transaction, accountId);
      return this.keys.createIn(transaction, { accountId, name: name ?? account.name }, { ...settings, by });
    });
    return this.shown(created);
  }

  /** @throws AppError `not_found`, `admin_key` for the last key with the scope `admin` */
  async revoke(id: string, by: Actor): Promise<KeyRecord> {
    const key = await this.keys.revoke(id, by);
    if (!key) throw noKey();
    return toKeyRecord(key);
  }

  /** @throws AppError `invalid_request`, `not_found`, `admin_key` */
  async rotate(id: string, body: unknown, by: Actor): Promise<NewKeyRecord> {
    const { overlap_s: overlapS } = parse(RotationBody, body ?? {});
    const rotated = await this.keys.rotate(id, overlapS, by);
    if (!rotated) throw noKey();
    return this.shown(rotated);
  }

  private async find(id: string): Promise<ApiKey> {
    const key = await this.keys.find(id);
    if (!key) throw noKey();
    return key;
  }

  private async shown({ id, key }: NewKey): Promise<NewKeyRecord> {
    return { ...(await this.show(id)), key };
  }
}

function noKey(): AppError {
  return new AppError('not_found', { detail: 'There is no valid key with this id.' });
}
