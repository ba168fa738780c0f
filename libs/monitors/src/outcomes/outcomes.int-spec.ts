import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ChangeReport } from '@app/capture';
import { ALERT, CHANGED, FIRST_CAPTURES, NEVER, MonitorRig } from '../../../../test/support/monitor-rig.js';
import type { CheckRecord } from '../index.js';

describe('outcomes of checks', () => {
  let rig: MonitorRig;

  beforeAll(async () => {
    rig = await MonitorRig.open();
  });

  afterAll(() => rig.close());

  beforeEach(() => rig.reset());

  /** Checks of a page that has not changed. */
  const checkSame = async (id: string, times: number): Promise<void> => {
    for (let done = 0; done < times; done += 1) {
      await rig.checkAgain(id);
      await rig.endCapture({ change: {} });
    }
  };

  it('reports a change once a second capture confirms it', async () => {
    const id = await rig.createKnown();
    await checkSame(id, 4);
    await rig.checkAgain(id);
    await rig.endCapture({ change: CHANGED });
    expect((await rig.checksOf(id))[0]).toMatchObject({ outcome: null });
    const all = await rig.jobsOf();
    const [first, second, third] = [all[2], ...all.slice(-2)];
    expect(second?.options).toMatchObject({ compare_with: first?.id });
    expect(third?.options).toMatchObject({ compare_with: first?.id, compare_confirms: second?.id });
    await rig.endCapture({ change: { ...CHANGED, summary: 'Price: 1 → 2' } });
    const [check] = await rig.checksOf(id);
    expect(check).toMatchObject({
      outcome: 'changed',
      capture_ids: [second?.id, third?.id],
      change: { summary: 'Price: 1 → 2' },
      files: { before: `/v1/captures/${first?.id}/result`, after: `/v1/captures/${third?.id}/result` },
    });
    expect(await rig.eventsOf()).toEqual(['monitor.changed']);
    await rig.checkAgain(id);
    expect((await rig.jobsOf()).at(-1)?.options).toMatchObject({ compare_with: third?.id });
  });

  it('captures a page three times at first, and remembers where it differed', async () => {
    await rig.create();
    await rig.schedule();
    const slide = { x: 0, y: 0, width: 400, height: 100 };
    for (const noise of [[], [], [slide]]) await rig.endCapture({ change: { ...CHANGED, noise } });
    const [first, second, third] = await rig.jobsOf();
    expect(first?.options).toMatchObject({ compare_with: 'previous' });
    expect(second?.options).toMatchObject({ compare_with: first?.id, compare_confirms: first?.id });
    expect(third?.options).toMatchObject({ compare_with: second?.id, compare_confirms: second?.id });
    const { rows } = await rig.database.query('SELECT id FROM monitors WHERE account_id = $1', [
      rig.accountId,
    ]);
    const id = String(rows[0]?.id);
    expect(await rig.checksOf(id)).toMatchObject([
      { outcome: 'same', reason: 'first', change: { noise: [slide] } },
    ]);
    await rig.checkAgain(id);
    for (let i = 0; i < 2; i += 1) await rig.endCapture({ change: { ...CHANGED, boxes: [slide] } });
    expect((await rig.checksOf(id))[0]).toMatchObject({ outcome: 'same', reason: 'unconfirmed' });
  });

  it('reports a change of a page whose noise is not known yet once three captures show it', async () => {
    const id = await rig.createKnown();
    await checkSame(id, 3);
    await rig.checkAgain(id);
    for (const [i, outcome] of [null, null, 'changed'].entries()) {
      await rig.endCapture({ change: CHANGED });
      const [check] = await rig.checksOf(id);
      expect([check?.outcome, check?.capture_ids.length]).toEqual([outcome, Math.min(3, i + 2)]);
    }
    const [second, third] = (await rig.jobsOf()).slice(-2);
    expect(third?.options).toMatchObject({ compare_confirms: second?.id });
    expect(await rig.eventsOf()).toEqual(['monitor.changed']);
  });

  it('reports nothing when the change is gone in the second capture', async () => {
    const id = await rig.createKnown();
    await rig.checkAgain(id);
    await rig.endCapture({ change: CHANGED });
    await rig.endCapture({ change: {} });
    expect((await rig.checksOf(id))[0]).toMatchObject({ outcome: 'same', reason: 'unconfirmed' });
    expect(await rig.eventsOf()).toEqual([]);
  });

  it('reports nothing where the page has recently differed from itself, and a change elsewhere', async () => {
    const id = await rig.createKnown();
    await checkSame(id, 4);
    const slide = { x: 0, y: 0, width: 400, height: 100 };
    const price = { x: 0, y: 300, width: 40, height: 12 };
    const checkWith = async (change: Partial<ChangeReport>): Promise<CheckRecord | undefined> => {
      await rig.checkAgain(id);
      await rig.endCapture({ change: CHANGED });
      await rig.endCapture({ change });
      return (await rig.checksOf(id))[0];
    };
    expect(await checkWith({ noise: [slide] })).toMatchObject({ outcome: 'same' });
    await checkSame(id, 40);
    expect(await checkWith({ ...CHANGED, boxes: [slide] })).toMatchObject({
      outcome: 'same',
      reason: 'unconfirmed',
    });
    expect(await checkWith({ ...CHANGED, boxes: [slide, price] })).toMatchObject({ outcome: 'changed' });
  });

  it('ignores pages that are no pages, and changes that are too small', async () => {
    const id = await rig.createKnown({ alert: { ...ALERT, min_ratio: 0.5 } });
    await rig.checkAgain(id);
    await rig.endCapture({ change: CHANGED, verdict: { kind: 'bot_wall', evidence: [] } as never });
    expect((await rig.checksOf(id))[0]).toMatchObject({ outcome: 'ignored', reason: 'verdict' });
    await rig.checkAgain(id);
    await rig.endCapture({ change: CHANGED });
    expect((await rig.checksOf(id))[0]).toMatchObject({ outcome: 'same', reason: 'small' });
    expect(await rig.eventsOf()).toEqual([]);
  });

  it('tells of a failure once, of the recovery, and pauses after too many', async () => {
    const id = await rig.createKnown();
    for (let i = 0; i < 2; i += 1) {
      await rig.checkAgain(id);
      await rig.endCapture({ fails: true });
    }
    await rig.checkAgain(id);
    await rig.endCapture();
    expect(await rig.eventsOf()).toEqual(['monitor.failed', 'monitor.recovered']);
    for (let i = 0; i < 3; i += 1) {
      await rig.checkAgain(id);
      await rig.endCapture({ fails: true });
    }
    expect(await rig.records.show(rig.accountId, id)).toMatchObject({
      state: 'paused',
      pause_reason: 'failures',
    });
    expect((await rig.eventsOf()).slice(2)).toEqual(['monitor.failed', 'monitor.paused']);
  });

  it('gives a check one outcome, however many processes look for it', async () => {
    const id = await rig.createKnown({ alert: { ...ALERT, confirm: 1 } });
    await rig.checkAgain(id);
    const end = rig.outcomes.endAll.bind(rig.outcomes);
    rig.outcomes.endAll = async () => 0;
    await rig.endCapture({ change: CHANGED });
    rig.outcomes.endAll = end;
    await Promise.all(Array.from({ length: 8 }, () => rig.outcomes.endAll(NEVER)));
    expect((await rig.checksOf(id))[0]).toMatchObject({ outcome: 'changed' });
    expect(await rig.eventsOf()).toEqual(['monitor.changed']);
  });

  it('keeps the files that its rules say, and those that it compares with', async () => {
    const id = await rig.createKnown();
    for (let i = 0; i < 3; i += 1) {
      await rig.checkAgain(id);
      await rig.endCapture();
    }
    const { rows } = await rig.database.query<{ kept: boolean }>(
      `SELECT expires_at > clock_timestamp() AS kept FROM jobs WHERE account_id = $1 ORDER BY created_at`,
      [rig.accountId],
    );
    expect(rows.slice(FIRST_CAPTURES - 1).map(({ kept }) => kept)).toEqual([true, false, false, true]);
  });
});
