import { jsonConsumer } from './answers.js';
import { pathOf } from './checks.js';
import {
  cancelBatchOfAccount,
  changeAccount,
  changeKey,
  createAccount,
  createKey,
  deleteAccount,
  drainWorker,
  getAccount,
  getHealthHistory,
  getKey,
  getQueue,
  getUsageOfAccounts,
  listAccounts,
  listAuditEvents,
  listKeys,
  listSettings,
  listWorkers,
  pauseAccount,
  resumeAccount,
  resumeWorker,
  revokeKey,
  rotateKey,
  type AccountChangeRequest,
  type AccountList,
  type AccountRecord,
  type AccountUsageList,
  type AuditList,
  type AuditRecord,
  type BatchRecord,
  type GetUsageOfAccountsData,
  type HealthHistory,
  type KeyChangeRequest,
  type KeyList,
  type KeyRecord,
  type KeyRotationRequest,
  type ListAccountsData,
  type ListAuditEventsData,
  type ListKeysData,
  type NewAccountRequest,
  type NewKeyRecord,
  type NewKeyRequest,
  type QueueOverview,
  type SettingRecord,
  type WorkerRecord,
} from './generated/openapi/index.js';
import { PAGE_ITEMS, pages } from './pages.js';
import type { CallOptions, Transport, Wire } from './transport.js';

export type AccountPages = NonNullable<ListAccountsData['query']>;
export type KeyFilters = NonNullable<ListKeysData['query']>;
export type AuditFilters = NonNullable<ListAuditEventsData['query']>;
/** Days in UTC; `to` is the day after the last one. */
export type AccountUsageFilters = Omit<NonNullable<GetUsageOfAccountsData['query']>, 'format'>;

/** Accounts, keys, workers and the queue of all, for operators: each method needs a key with the scope `admin`. */
export class AdminApi {
  constructor(private readonly transport: Transport) {}

  /** All accounts, newest first. They are requested page by page, as far as they are read. */
  accounts(call?: CallOptions): AsyncIterable<AccountRecord> {
    return pages((cursor) =>
      this.accountPage({ limit: PAGE_ITEMS, ...(cursor !== undefined && { cursor }) }, call),
    );
  }

  /** One page of the accounts, and the cursor of the next one. */
  async accountPage(query: AccountPages = {}, call?: CallOptions): Promise<AccountList> {
    const { data } = await listAccounts({ ...this.json(call), query });
    return data;
  }

  async account(id: string, call?: CallOptions): Promise<AccountRecord> {
    const { data } = await getAccount({ ...this.json(call), path: pathOf({ id }) });
    return data;
  }

  /** Creates an account without keys. */
  async createAccount(account: NewAccountRequest, call?: CallOptions): Promise<AccountRecord> {
    const { data } = await createAccount({ ...this.json(call), body: account });
    return data;
  }

  /** Changes what is stated; null removes a limit or the address of the webhook. */
  async changeAccount(id: string, change: AccountChangeRequest, call?: CallOptions): Promise<AccountRecord> {
    const { data } = await changeAccount({ ...this.json(call), path: pathOf({ id }), body: change });
    return data;
  }

  /** Refuses everything new of the account; what was accepted ends. */
  async pauseAccount(id: string, call?: CallOptions): Promise<AccountRecord> {
    const { data } = await pauseAccount({ ...this.json(call), path: pathOf({ id }) });
    return data;
  }

  async resumeAccount(id: string, call?: CallOptions): Promise<AccountRecord> {
    const { data } = await resumeAccount({ ...this.json(call), path: pathOf({ id }) });
    return data;
  }

  /** Revokes the keys at once, and deletes all that the account has in the background: until it is not found, its state is `deleting`. */
  async deleteAccount(id: string, call?: CallOptions): Promise<AccountRecord> {
    const { data } = await deleteAccount({ ...this.json(call), path: pathOf({ id }) });
    return data;
  }

  /** The keys of all accounts, or of one, newest first, page by page as far as they are read. */
  keys(filters: Omit<KeyFilters, 'cursor'> = {}, call?: CallOptions): AsyncIterable<KeyRecord> {
    return pages((cursor) =>
      this.keyPage({ limit: PAGE_ITEMS, ...filters, ...(cursor !== undefined && { cursor }) }, call),
    );
  }

  /** One page of the keys, and the cursor of the next one. */
  async keyPage(filters: KeyFilters = {}, call?: CallOptions): Promise<KeyList> {
    const { data } = await listKeys({ ...this.json(call), query: filters });
    return data;
  }

  async key(id: string, call?: CallOptions): Promise<KeyRecord> {
    const { data } = await getKey({ ...this.json(call), path: pathOf({ id }) });
    return data;
  }

  /** Creates a key. Only this answer has the key itself. */
  async createKey(key: NewKeyRequest, call?: CallOptions): Promise<NewKeyRecord> {
    const { data } = await createKey({ ...this.json(call), body: key });
    return data;
  }

  /** Changes the name and the limits of a key. Its scopes never change. */
  async changeKey(id: string, change: KeyChangeRequest, call?: CallOptions): Promise<KeyRecord> {
    const { data } = await changeKey({ ...this.json(call), path: pathOf({ id }), body: change });
    return data;
  }

  /** Gives a key another secret, which only this answer has. The secret before works for `overlap_s` longer. */
  async rotateKey(id: string, rotation: KeyRotationRequest = {}, call?: CallOptions): Promise<NewKeyRecord> {
    const { data } = await rotateKey({ ...this.json(call), path: pathOf({ id }), body: rotation });
    return data;
  }

  /** Ends a key, its links and its log-ins within 5 seconds. */
  async revokeKey(id: string, call?: CallOptions): Promise<KeyRecord> {
    const { data } = await revokeKey({ ...this.json(call), path: pathOf({ id }) });
    return data;
  }

  /** One page of the accounts with their usage by day, by default of the last 30 days. */
  async usagePage(filters: AccountUsageFilters = {}, call?: CallOptions): Promise<AccountUsageList> {
    const { data } = await getUsageOfAccounts({ ...this.json(call), query: filters });
    return data;
  }

  /** Who changed which account or key, the latest first, page by page as far as they are read. */
  audit(filters: Omit<AuditFilters, 'cursor'> = {}, call?: CallOptions): AsyncIterable<AuditRecord> {
    return pages((cursor) =>
      this.auditPage({ limit: PAGE_ITEMS, ...filters, ...(cursor !== undefined && { cursor }) }, call),
    );
  }

  /** One page of the audit trail, and the cursor of the next one. */
  async auditPage(filters: AuditFilters = {}, call?: CallOptions): Promise<AuditList> {
    const { data } = await listAuditEvents({ ...this.json(call), query: filters });
    return data;
  }

  /** The workers that are alive, with their slots and what they capture. */
  async workers(call?: CallOptions): Promise<WorkerRecord[]> {
    const { data } = await listWorkers(this.json(call));
    return data.items;
  }

  /** Has a worker take no more captures, and end those that it has. */
  async drainWorker(id: string, call?: CallOptions): Promise<WorkerRecord> {
    const { data } = await drainWorker({ ...this.json(call), path: pathOf({ id }) });
    return data;
  }

  /** Has a worker that drains take captures again. */
  async resumeWorker(id: string, call?: CallOptions): Promise<WorkerRecord> {
    const { data } = await resumeWorker({ ...this.json(call), path: pathOf({ id }) });
    return data;
  }

  /** What waits and runs, by lane, account and host, of all accounts or of one. */
  async queue(filters: { readonly account_id?: string } = {}, call?: CallOptions): Promise<QueueOverview> {
    const { data } = await getQueue({ ...this.json(call), query: filters });
    return data;
  }

  /** Cancels the rows of a batch of any account that have not ended. */
  async cancelBatch(id: string, call?: CallOptions): Promise<BatchRecord> {
    const { data } = await cancelBatchOfAccount({ ...this.json(call), path: pathOf({ id }) });
    return data;
  }

  /** Every setting as it is in force in the API, and where it comes from; of a secret only whether it is set. */
  async settings(call?: CallOptions): Promise<SettingRecord[]> {
    const { data } = await listSettings(this.json(call));
    return data.items;
  }

  /** When each dependency stopped working and worked again, by default in the last 7 days. */
  async health(range: { readonly days?: number } = {}, call?: CallOptions): Promise<HealthHistory> {
    const { data } = await getHealthHistory({ ...this.json(call), query: range });
    return data;
  }

  private json(call: CallOptions = {}): Wire {
    return this.transport.wire({ call, consume: jsonConsumer });
  }
}
