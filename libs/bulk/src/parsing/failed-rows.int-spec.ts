import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { parseOptionsOver } from '@app/capture';
import { newId } from '@app/kernel';
import { AcceptingBatches, bad, good, goods, underKey } from '../../../../test/support/accepting-batches.js';
import { FailedRowsService, type BatchRequest, type CheckedRow } from '../index.js';

const SECRETS = { headers: { 'X-Secret': 'the-secret' } };

describe(FailedRowsService.name, () => {
  let service: AcceptingBatches;

  beforeAll(async () => {
    service = await AcceptingBatches.open();
  });

  afterAll(() => service.close());

  beforeEach(() => service.useAccount());

  afterEach(() => service.expectSound());

  /** A finished batch: these rows have failed, the others were canceled. */
  const ended = async (rows: CheckedRow[], failed: readonly number[]): Promise<string> => {
    const { batch } = await service.accept(rows, { onInvalid: 'skip' });
    await service.client.query(
      `UPDATE jobs SET status = CASE WHEN batch_row = ANY($2) THEN 'failed' ELSE 'canceled' END, secrets = NULL,
                       error_code = 'browser_crashed', attempt = 3
        WHERE batch_id = $1 AND status = 'queued'`,
      [batch.id, failed],
    );
    await service.client.query(`UPDATE usage_counters SET used = 0 WHERE account_id = $1`, [
      service.accountId,
    ]);
    return batch.id;
  };
  const read = (batchId: string, defaults: object = {}) =>
    service.app.get(FailedRowsService).read(service.accountId, batchId, { defaults: { ...defaults } });
  const retry = async (batchId: string, defaults: object = {}, more: Partial<BatchRequest> = {}) =>
    service.accept(await read(batchId, defaults), { retryOf: batchId, ...more });

  it('creates a batch of the failed rows, with their numbers, options and references', async () => {
    const first = await ended([good(1), good(2, { full_page: true }), bad(3), good(4), good(5)], [2, 5]);
    const { batch, record } = await retry(first);
    expect(record).toMatchObject({ retry_of: first, total: 2, rejected: 0, counts: { queued: 2 } });
    expect(await service.jobsOf(batch.id)).toMatchObject([
      {
        batch_row: 2,
        status: 'queued',
        reference: 'r2',
        attempt: 0,
        options: { url: 'https://example.com/2', reference: 'r2', full_page: true },
      },
      { batch_row: 5, status: 'queued', reference: 'r5' },
    ]);
    expect(await service.stored()).toMatchObject({ batches: 2, used: 2 });
  });

  it('reads all pages', async () => {
    const first = await ended(
      goods(230),
      Array.from({ length: 200 }, (_, i) => i + 11),
    );
    const { batch } = await retry(first);
    const jobs = await service.jobsOf(batch.id);
    expect(jobs.map(({ batch_row }) => batch_row)).toEqual(Array.from({ length: 200 }, (_, i) => i + 11));
  });

  it('applies defaults only to options that a row does not state', async () => {
    const first = await ended([good(1, { format: 'jpeg' }), good(2)], [1, 2]);
    const { batch } = await retry(first, { format: 'pdf' });
    expect(await service.jobsOf(batch.id)).toMatchObject([{ format: 'jpeg' }, { format: 'pdf' }]);
  });

  it('takes secrets from the defaults, and reports a row with other secrets as bad', async () => {
    const first = await ended([good(1), good(2, SECRETS)], [1, 2]);
    const gone = {
      pointer: '/defaults/headers',
      row: 2,
      column: 'headers',
      code: 'secret_gone',
      detail: expect.stringContaining('send it again in defaults'),
    };
    expect(await service.refusal(await read(first), { retryOf: first })).toMatchObject({
      code: 'invalid_request',
      facts: { errors: [gone] },
    });
    const outcome = await service.submit(await read(first), { retryOf: first, dryRun: true });
    expect(outcome).toMatchObject({
      report: { would_accept: false, valid: 1, rejected: 1, errors: [gone] },
    });
    const skipped = await retry(first, {}, { onInvalid: 'skip' });
    expect(await service.jobsOf(skipped.batch.id)).toMatchObject([
      { batch_row: 1, status: 'queued' },
      {
        batch_row: 2,
        status: 'failed',
        url: 'https://example.com/2',
        reference: 'r2',
        error_code: 'invalid_request',
      },
    ]);
    const { batch } = await retry(first, SECRETS);
    expect(await service.jobsOf(batch.id)).toMatchObject([
      { options: { headers: '[redacted]' }, secrets: expect.any(Buffer) },
      { options: { headers: '[redacted]' }, secrets: expect.any(Buffer) },
    ]);
  });

  it('keeps defaults removed that a row had removed, also secrets', async () => {
    const url = 'https://example.com/1';
    const row = (options: object) => ({ row: 1, options: parseOptionsOver({}, { url, ...options }) });
    const first = await ended([row({ format: 'pdf', full_page: null, headers: null })], [1]);
    const { batch } = await retry(first, { full_page: true, ...SECRETS });
    expect(await service.jobsOf(batch.id)).toMatchObject([
      { format: 'pdf', options: { url, format: 'pdf', full_page: null, headers: null }, secrets: null },
    ]);
  });

  it('is accepted once under one Idempotency-Key', async () => {
    const first = await ended(goods(3), [1, 2, 3]);
    const one = await retry(first, {}, underKey('k'));
    const two = await retry(first, {}, underKey('k'));
    expect([two.replayed, two.record]).toEqual([true, one.record]);
    expect(await service.stored()).toMatchObject({ batches: 2, keys: 1, used: 3 });
  });

  it('leaves out rows whose captures were deleted, of which no options are left', async () => {
    const first = await ended(goods(3), [1, 2, 3]);
    await service.client.query(
      `UPDATE jobs SET options = '{}', url = NULL, deleted_at = now() WHERE batch_id = $1 AND batch_row = 2`,
      [first],
    );
    const { batch } = await retry(first);
    expect((await service.jobsOf(batch.id)).map(({ batch_row }) => batch_row)).toEqual([1, 3]);
  });

  it('refuses a batch without failed rows, not counting rejected ones', async () => {
    const first = await ended([good(1), bad(2)], []);
    expect(await service.refusal(await read(first))).toMatchObject({
      code: 'invalid_request',
      facts: { errors: [{ pointer: '/retry_failed_of', code: 'nothing_failed' }] },
    });
  });

  it('refuses an unfinished batch', async () => {
    const { batch } = await service.accept(goods(1));
    await expect(read(batch.id)).rejects.toMatchObject({ code: 'job_not_finished' });
  });

  it('treats a batch of another account as unknown', async () => {
    const first = await ended(goods(1), [1]);
    await service.useAccount();
    for (const id of [first, newId(), 'not-an-id']) {
      await expect(read(id)).rejects.toMatchObject({ code: 'not_found' });
    }
  });
});
