import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { isOutage } from '@app/database';
import { newId } from '@app/kernel';
import {
  AcceptingBatches,
  bad,
  good,
  goods,
  NOTHING,
  spools,
  underKey,
} from '../../../../test/support/accepting-batches.js';
import { eventually } from '../../../../test/support/eventually.js';
import { codeOf } from '../../../../test/support/modules.js';
import type { AcceptedBatch, BatchOutcome, CheckedRow } from '../index.js';

describe('a batch that is being accepted', () => {
  let service: AcceptingBatches;

  beforeAll(async () => {
    service = await AcceptingBatches.open();
  });

  afterAll(() => service.close());

  beforeEach(() => service.useAccount());

  afterEach(() => service.expectSound());

  describe('under an Idempotency-Key', () => {
    const accepted = (outcomes: readonly PromiseSettledResult<BatchOutcome>[]): AcceptedBatch[] =>
      outcomes.flatMap((outcome) =>
        outcome.status === 'fulfilled' && outcome.value.kind === 'accepted' ? [outcome.value] : [],
      );
    const codes = (outcomes: readonly PromiseSettledResult<BatchOutcome>[]): string[] =>
      outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [codeOf(outcome.reason)] : []));

    it('answers a repetition with the first answer including its faults, and stores nothing', async () => {
      const rows = (): CheckedRow[] => [good(1), bad(2)];
      const first = await service.accept(rows(), { onInvalid: 'skip', ...underKey('k') });
      await service.client.query(`UPDATE jobs SET status = 'running' WHERE batch_id = $1 AND batch_row = 1`, [
        first.batch.id,
      ]);
      const again = await service.accept(rows(), { onInvalid: 'skip', ...underKey('k') });
      expect(again).toMatchObject({ replayed: true, faults: first.faults });
      expect(JSON.stringify(again.record)).toBe(JSON.stringify(first.record));
      expect([first.batch.status, again.batch.status]).toEqual(['queued', 'running']);
      expect(await service.stored()).toEqual({ batches: 1, jobs: 2, keys: 1, used: 1 });
      await service.client.query(`UPDATE jobs SET status = 'queued' WHERE batch_id = $1 AND batch_row = 1`, [
        first.batch.id,
      ]);
    });

    it('stores one batch for 20 concurrent repetitions, and charges once', async () => {
      const twins = await Promise.allSettled(
        Array.from({ length: 20 }, () => service.submit(goods(500), underKey('k'))),
      );
      expect(codes(twins)).toEqual([]);
      expect(accepted(twins).filter(({ replayed }) => !replayed)).toHaveLength(1);
      expect(new Set(accepted(twins).map(({ record }) => JSON.stringify(record))).size).toBe(1);
      expect(await service.stored()).toEqual({ batches: 1, jobs: 500, keys: 1, used: 500 });
    });

    it('refuses another request with the same key, also a concurrent one', async () => {
      const outcomes = await Promise.allSettled(
        [1, 2, 3].map((i) => service.submit(goods(10), underKey('k', `body ${i}`))),
      );
      expect(codes(outcomes)).toEqual(['idempotency_mismatch', 'idempotency_mismatch']);
      expect(await service.stored()).toEqual({ batches: 1, jobs: 10, keys: 1, used: 10 });
    });

    it('stores no key of a refused request', async () => {
      await service.useAccount(5);
      expect(await service.refusal(goods(6), underKey('k')).then(codeOf)).toBe('allowance_exhausted');
      expect(await service.refusal([bad(1)], underKey('k')).then(codeOf)).toBe('invalid_request');
      expect(await service.stored()).toEqual(NOTHING);
      expect((await service.accept(goods(5), underKey('k', 'another body'))).replayed).toBe(false);
    });

    it('repeats an answer even if the allowance has been used up since', async () => {
      await service.useAccount(5);
      await service.submit(goods(5), underKey('k'));
      expect((await service.accept(goods(5), underKey('k'))).replayed).toBe(true);
    });

    it('reports a concurrent repetition that takes too long as in flight', async () => {
      await using other = await service.client.session();
      await other.query('BEGIN');
      await other.query(
        `INSERT INTO idempotency_keys (account_id, key, fingerprint, subject_id) VALUES ($1, 'k', '', $2)`,
        [service.accountId, newId()],
      );
      expect(await service.refusal(goods(1), underKey('k')).then(codeOf)).toBe('idempotency_in_flight');
      await other.query('ROLLBACK');
      expect((await service.accept(goods(1), underKey('k'))).replayed).toBe(false);
    });

    it('reports that the batch of the key is deleted', async () => {
      const { batch } = await service.accept([bad(1)], { onInvalid: 'skip', ...underKey('k') });
      await service.client.query(`DELETE FROM jobs WHERE batch_id = $1`, [batch.id]);
      await service.client.query(`DELETE FROM batches WHERE id = $1`, [batch.id]);
      expect(await service.refusal([bad(1)], { onInvalid: 'skip', ...underKey('k') }).then(codeOf)).toBe(
        'result_expired',
      );
    });
  });

  describe('stores nothing', () => {
    it('when the body breaks off', async () => {
      async function* cut(): AsyncGenerator<CheckedRow> {
        yield* goods(2_000);
        await eventually('some are on the disk', () => spools().join('').length > 0);
        throw new Error('The caller hung up');
      }
      const refusal = service.refusal(cut(), { onInvalid: 'skip', ...underKey('k') });
      expect(await refusal).toMatchObject({ message: 'The caller hung up' });
      expect(await service.stored()).toEqual(NOTHING);
    });

    it('when the connection is lost after the last row', async () => {
      await service.submit(goods(1));
      await using other = await service.client.session();
      await other.query('BEGIN');
      await other.query('SELECT FROM usage_counters WHERE account_id = $1 FOR UPDATE', [service.accountId]);
      const refusal = service.refusal(goods(2_500), underKey('k'));
      let waiting: number[] = [];
      await eventually('all rows are stored and the counter is waited for', async () => {
        waiting = await service.waiting('INTO usage_counters');
        return waiting.length === 1;
      });
      await service.client.query('SELECT pg_terminate_backend($1)', waiting);
      expect(await refusal).toEqual(expect.any(Error));
      expect(isOutage(await refusal)).toBe(true);
      await other.query('ROLLBACK');
      expect(await service.stored()).toEqual({ batches: 1, jobs: 1, keys: 0, used: 1 });
      expect((await service.accept(goods(2_500), underKey('k'))).replayed).toBe(false);
    });

    it('when a row cannot be stored', async () => {
      const refusal = service.refusal(goods(2_500), { requestId: 'a\0b', ...underKey('k') });
      expect(await refusal).toEqual(expect.any(Error));
      expect(await service.stored()).toEqual(NOTHING);
    });
  });
});
