import { Injectable } from '@nestjs/common';
import type { Actor } from '@app/audit';
import { ApiKeysService, type ApiKey, type NewKey } from '@app/auth';
import { subjectIsGone } from '@app/jobs';
import { AppError, Clock, parse } from '@app/kernel';
import { AccountsService } from '@app/usage';
import { pageOf } from '../http/page.query.js';
import type { KeysQuery } from './admin.query.js';
import { readKeyChange, readNewKey, RotationBody } from './key.fields.js';
import { RepeatableChangesService, type ChangeRequest, type Outcome } from './repeatable-changes.service.js';
import { toKeyRecord, type KeyList, type KeyRecord, type NewKeyRecord } from './key.response.js';

/** A key with its secret, or without it when the request is a repeated one. */
interface ShownKey {
  readonly record: NewKeyRecord;
  readonly replayed: boolean;
}

/** Manages keys for operators who call the API. */
@Injectable()
export class KeyAdministrationService {
  constructor(
    private readonly keys: ApiKeysService,
    private readonly accounts: AccountsService,
    private readonly changes: RepeatableChangesService,
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
  async create(body: unknown, request: ChangeRequest): Promise<ShownKey> {
    const { accountId, name, settings } = readNewKey(body, this.clock.now());
    const { by } = request;
    const created = await this.changes.make(request, async (transaction) => {
      const account = await this.accounts.lockUndeleted(transaction, accountId);
      const owner = { accountId, name: name ?? account.name };
      return { ...(await this.keys.createIn(transaction, owner, { ...settings, by })), accountId };
    });
    return this.shown(created);
  }

  /** @throws AppError `invalid_request`, `not_found`, `admin_key` for a key with the scope `admin` */
  async change(id: string, body: unknown, by: Actor): Promise<KeyRecord> {
    const key = await this.keys.change(id, readKeyChange(body, this.clock.now()), by);
    if (!key) throw noKey();
    return toKeyRecord(key);
  }

  /** @throws AppError `not_found`, `admin_key` for the last key with the scope `admin` */
  async revoke(id: string, by: Actor): Promise<KeyRecord> {
    const key = await this.keys.revoke(id, by);
    if (!key) throw noKey();
    return toKeyRecord(key);
  }

  /** @throws AppError `invalid_request`, `not_found`, `admin_key` */
  async rotate(id: string, body: unknown, request: ChangeRequest): Promise<ShownKey> {
    const { overlap_s: overlapS } = parse(RotationBody, body ?? {});
    const rotated = await this.changes.make(request, async (transaction) => {
      const made = await this.keys.rotateIn(transaction, { id, overlapS }, request.by);
      const key = made && (await this.keys.find(id));
      if (!key) throw noKey();
      return { ...made, accountId: key.accountId };
    });
    return this.shown(rotated);
  }

  private async find(id: string): Promise<ApiKey> {
    const key = await this.keys.find(id);
    if (!key) throw noKey();
    return key;
  }

  /** Only the answer to the first request has the key itself, which is not stored. */
  private async shown({ id, made }: Outcome<NewKey & { readonly accountId: string }>): Promise<ShownKey> {
    const key = await this.keys.find(id);
    if (!key) throw subjectIsGone();
    return { record: { ...toKeyRecord(key), key: made?.key ?? null }, replayed: made === null };
  }
}

function noKey(): AppError {
  return new AppError('not_found', { detail: 'There is no valid key with this id.' });
}
