import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Clock, ManualClock } from '@app/kernel';
import { createDatabase, type TestDatabase } from '../../../../test/support/database.js';
import { eventually } from '../../../../test/support/eventually.js';
import { FaultProxy } from '../../../../test/support/fault-proxy.js';
import { startModules, type StartedModules } from '../../../../test/support/modules.js';
import { EngineVersionsService } from './engine-versions.service.js';
import type { ReportedFilterList } from './worker-heartbeat.entity.js';
import { WorkerRegistryModule } from './worker-registry.module.js';
import { WorkerRegistryService } from './worker-registry.service.js';

const OLD = 'Chrome/99.0.4844.51';
const NEW = 'Chrome/156.0.7000.10';
const LATER_MS = 4_000;

const list = (name: string, date: string | null): ReportedFilterList => ({
  name,
  date,
  kind: 'ads',
  rules: 1,
});

describe(EngineVersionsService.name, () => {
  let database: TestDatabase;
  let proxy: FaultProxy;
  let modules: StartedModules;
  let versions: EngineVersionsService;
  const clock = new ManualClock(new Date());

  beforeAll(async () => {
    database = await createDatabase();
    proxy = await FaultProxy.before(database.url);
    modules = await startModules({
      database,
      settings: { DATABASE_URL: proxy.proxied(database.url) },
      imports: [WorkerRegistryModule],
      replace: [[Clock, clock]],
    });
    versions = modules.app.get(EngineVersionsService);
  });

  afterAll(async () => {
    await modules.close();
    await proxy.close();
    await database.drop();
  });

  beforeEach(async () => {
    await database.query('DELETE FROM workers');
  });

  const passMs = (ms: number): void => {
    clock.set(new Date(clock.now().getTime() + ms));
  };
  const report = (
    id: string,
    browser: string,
    lists: readonly ReportedFilterList[],
    features: readonly string[] = [],
  ): Promise<boolean> =>
    modules.app.get(WorkerRegistryService).report({
      id,
      browser,
      slots: 1,
      busy: 0,
      healthy: 1,
      sandbox: true,
      filterLists: lists,
      features,
    });
  const read = async () => {
    passMs(LATER_MS);
    await versions.refresh();
    return versions.latest;
  };

  it('knows none before a worker has reported', async () => {
    expect(await read()).toEqual({ browser: '', filterLists: '' });
    // A job waits until one has.
    expect(versions.missingFeatures(['stable'])).toEqual([]);
  });

  it('takes the latest of each while workers are replaced, in whatever order they report', async () => {
    await report('a', NEW, [list('ads', '2026-11-02'), list('own', null)]);
    await report('b', OLD, [list('chats', '2026-10-01'), list('ads', '2026-11-01')]);
    const both = await read();
    expect(both.browser).toBe(NEW);
    expect(JSON.parse(both.filterLists)).toEqual([
      ['ads', '2026-11-02'],
      ['chats', '2026-10-01'],
      ['own', ''],
    ]);
    await report('a', OLD, [list('ads', '2026-11-01'), list('chats', '2026-10-01')]);
    await report('b', NEW, [list('own', null), list('ads', '2026-11-02')]);
    expect(await read()).toEqual(both);
  });

  it('knows what all workers lack for a capture, once one has reported', async () => {
    await report('old', OLD, []);
    await read();
    expect(versions.missingFeatures(['stable'])).toEqual(['stable']);
    await report('a', NEW, [], ['clean', 'stable']);
    await report('b', NEW, [], ['format=avif']);
    await read();
    const missing = [['clean', 'stable'], ['format=avif'], ['clean', 'format=avif', 'stable'], []].map(
      (needs) => versions.missingFeatures(needs),
    );
    expect(missing).toEqual([[], [], ['format=avif'], []]);
  });

  it('knows what a worker reports last, all of which replaces what it reported before', async () => {
    const registry = modules.app.get(WorkerRegistryService);
    const before = { id: 'a', browser: OLD, slots: 1, busy: 0, healthy: 1, sandbox: true };
    await registry.report({ ...before, filterLists: [list('ads', '2026-11-01')], features: ['clean'] });
    const after = { id: 'a', browser: NEW, slots: 4, busy: 3, healthy: 2, sandbox: false };
    const later = { state: 'active', drain: false, version: '0.2.0', outages: ['dns'] } as const;
    const reported = { ...after, ...later, filterLists: [list('own', null)], features: ['clean', 'stable'] };
    await registry.report(reported);
    expect(await registry.listWithFeatures()).toEqual([{ ...reported, seenAt: expect.any(Date) }]);
    // The list of features is long, and most readers of workers do not need it.
    expect(await registry.list()).toEqual([{ ...reported, features: undefined, seenAt: expect.any(Date) }]);
    await read();
    expect(versions.missingFeatures(['stable'])).toEqual([]);
  });

  it('counts on no worker that drains, whether it has read so or is about to', async () => {
    await report('a', NEW, [], ['clean']);
    await report('b', OLD, [], []);
    await database.query(`UPDATE workers SET drain = true WHERE id = 'a'`);
    expect((await read()).browser).toBe(OLD);
    expect(versions.missingFeatures(['clean'])).toEqual(['clean']);
    await database.query(`UPDATE workers SET drain = false, state = 'drained' WHERE id = 'a'`);
    expect((await read()).browser).toBe(OLD);
  });

  it('forgets a worker that has died', async () => {
    await report('a', NEW, []);
    await report('b', OLD, []);
    await database.query(`UPDATE workers SET seen_at = now() - interval '1 minute' WHERE id = 'a'`);
    expect((await read()).browser).toBe(OLD);
  });

  it('keeps the last known ones while there is no worker', async () => {
    await report('a', NEW, [list('ads', '2026-11-02')]);
    const known = await read();
    await database.query('DELETE FROM workers');
    expect(await read()).toEqual(known);
    await report('b', OLD, []);
    expect(await read()).toEqual({ browser: OLD, filterLists: '[]' });
  });

  it('reads again after some seconds, and not before', async () => {
    await report('a', OLD, []);
    await read();
    await report('a', NEW, []);
    passMs(LATER_MS - 1);
    await versions.refresh();
    expect(versions.latest.browser).toBe(OLD);
    passMs(1);
    await versions.refresh();
    expect(versions.latest.browser).toBe(NEW);
  });

  it('reads again when the clock of the machine is set back', async () => {
    await report('a', OLD, []);
    await read();
    await report('a', NEW, []);
    passMs(-3_600_000);
    await versions.refresh();
    expect(versions.latest.browser).toBe(NEW);
  });

  it('reads once for callers who come together', async () => {
    await report('a', OLD, []);
    await read();
    await report('a', NEW, []);
    await using session = await database.session();
    await session.query('BEGIN');
    await session.query('LOCK TABLE workers');
    passMs(LATER_MS);
    const together = Promise.all(Array.from({ length: 20 }, () => versions.refresh()));
    const reading = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`;
    await eventually('the workers are read', async () => (await database.query(reading)).rowCount === 1);
    expect(versions.latest.browser).not.toBe(NEW);
    await session.query('COMMIT');
    await together;
    expect(versions.latest.browser).toBe(NEW);
  });

  it.each<[string, () => Promise<void> | void]>([
    ['away', () => proxy.set('refuse')],
    ['silent', () => proxy.freeze()],
  ])('keeps the last known ones without a long wait while the database is %s', async (_, fail) => {
    await report('a', OLD, []);
    await eventually('the old version is known', async () => (await read()).browser === OLD);
    await report('a', NEW, []);
    await fail();
    expect((await read()).browser).toBe(OLD);
    await proxy.set('pass');
    await eventually('the new version is known', async () => (await read()).browser === NEW);
  });
});
