import { createHash } from 'node:crypto';
import { expect } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { browserFolders } from '../../support/browser-folders.js';
import { alive, browserGroups, listeners } from './process-state.js';
import type { Member, World } from './world.js';

const FRESH_WITHIN_MS = 30_000;

/** What a worker logs when it has corrected accounts or a batch. */
const CORRECTED = /differed from the ledger|was not what its rows say/;

/**
 * Expects what must hold after every fault: the service captures again, every accepted capture has reached exactly one
 * final state, the accounts agree with that, and nothing is left behind.
 */
export async function expectSound(world: World): Promise<void> {
  await expectFreshCaptures(world);
  await expectOneEndEach(world);
  await expectAccountsAgree(world);
  await expectBatchesAgree(world);
  await expectOneBodyPerWebhook(world);
  await expectWholeFiles(world);
  await expectNothingLeft(world);
  await expectSameSubscriptions(world);
}

async function expectFreshCaptures(world: World): Promise<void> {
  const signal = AbortSignal.timeout(FRESH_WITHIN_MS);
  const response = await world.client.capture({ url: world.site.page() }, { signal });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/png']);
  await response.arrayBuffer();
  const id = await world.submit({ url: world.site.page() });
  await world.rows.moved(id, 'succeeded', { withinMs: FRESH_WITHIN_MS });
}

async function expectOneEndEach({ rows, accepted }: World): Promise<void> {
  await rows.ended();
  const ends = await rows.query<{ job_id: string; ends: number; last: string }>(
    `SELECT job_id, count(*) FILTER (WHERE status NOT IN ('queued', 'running'))::int AS ends,
            (array_agg(status ORDER BY seen DESC))[1] AS last
       FROM seen_moves GROUP BY job_id`,
  );
  expect(ends.filter((job) => job.ends !== 1 || ['queued', 'running'].includes(job.last))).toEqual([]);
  const known = new Set(ends.map(({ job_id }) => job_id));
  expect([...accepted].filter((id) => !known.has(id))).toEqual([]);
}

/** The counts of a batch match its rows, every row has its batch, and each finished batch is announced once. */
async function expectBatchesAgree({ rows }: World): Promise<void> {
  const differences = await rows.query(
    `SELECT batch.*, actual.* FROM batches batch
      CROSS JOIN LATERAL (
        SELECT count(*) FILTER (WHERE status = 'succeeded') AS s, count(*) FILTER (WHERE status = 'failed') AS f,
               count(*) FILTER (WHERE status = 'canceled') AS c
          FROM jobs WHERE batch_id = batch.id) AS actual
      WHERE batch.status NOT IN ('completed', 'canceled') OR batch.finished_at IS NULL
         OR (queued, running, succeeded, failed, canceled, total) <> (0, 0, s, f, c, s + f + c)`,
  );
  expect(differences).toEqual([]);
  const strays = `SELECT batch_id FROM jobs WHERE batch_id IS NOT NULL AND batch_id NOT IN (SELECT id FROM batches)`;
  expect(await rows.query(strays)).toEqual([]);
  let unannounced: unknown;
  const areAnnounced = async (): Promise<boolean> => {
    unannounced = await rows.query(
      `SELECT batch.id, count(delivery.id) AS events
         FROM batches batch LEFT JOIN webhook_deliveries delivery ON delivery.subject_id = batch.id
        WHERE batch.webhook_url IS NOT NULL GROUP BY batch.id HAVING count(delivery.id) <> 1`,
    );
    return (unannounced as unknown[]).length === 0;
  };
  await eventually('every batch is announced once', areAnnounced).catch(() =>
    expect(unannounced).toEqual([]),
  );
}

/** The ledger has one entry for each capture that succeeded with a visit and no other; counters and slots agree with that. */
async function expectAccountsAgree({ rows, members }: World): Promise<void> {
  const entries = await rows.query(
    `SELECT job.id AS job, job.status, entry.job_id AS entry, entry.account_id, entry.period
       FROM (SELECT * FROM jobs WHERE status = 'succeeded' AND coalesce(origin_id, id) = id) job FULL JOIN usage_ledger entry ON entry.job_id = job.id
      WHERE (entry.job_id, entry.account_id, entry.period)
            IS DISTINCT FROM (job.id, job.account_id, job.usage_period)`,
  );
  expect(entries).toEqual([]);
  const counters = await rows.query(
    `SELECT account_id, period, counter.used, charged.entries
       FROM usage_counters counter
       FULL JOIN (SELECT account_id, period, count(*)::int AS entries FROM usage_ledger GROUP BY 1, 2) charged
      USING (account_id, period)
      WHERE coalesce(counter.used, 0) <> coalesce(charged.entries, 0) OR counter.folded <> 0`,
  );
  expect(counters).toEqual([]);
  expect(await rows.query('SELECT job_id FROM concurrency_slots')).toEqual([]);
  // A correction by a worker would hide a fault.
  expect(members.filter((member) => CORRECTED.test(member.log())).map(({ pid }) => pid)).toEqual([]);
}

async function expectOneBodyPerWebhook({ rows, receiver }: World): Promise<void> {
  const several = [...receiver.bodies].filter(([, bodies]) => bodies.size > 1);
  expect(several).toEqual([]);
  const events = await rows.query(
    `SELECT job.id, job.status, array_agg(delivery.type) AS types
       FROM jobs job LEFT JOIN webhook_deliveries delivery ON delivery.subject_id = job.id
      WHERE job.webhook_url IS NOT NULL GROUP BY job.id
     HAVING array_agg(delivery.type) <> ARRAY['capture.' || job.status]`,
  );
  expect(events).toEqual([]);
}

/** Every file belongs to a row, which has its hash, except for what a killed worker was writing: the expiry deletes that later. */
async function expectWholeFiles({ rows, store }: World): Promise<void> {
  const named = await rows.query<{ key: string; sha256: string }>(
    `SELECT file.key, file.sha256 FROM capture_files AS file JOIN jobs ON jobs.id = file.capture_id
      WHERE result_key IS NOT NULL`,
  );
  const found = await Promise.all(
    named.map(async ({ key }) => ({ key, sha256: sha256(await store.read(key)) })),
  );
  expect(found).toEqual(named);
  const keys = new Set(named.map(({ key }) => key));
  let unnamed: string[] = [];
  const clean = async (): Promise<boolean> => {
    unnamed = (await store.keys()).filter((key) => !keys.has(key) && !key.startsWith('incoming/'));
    return unnamed.length === 0;
  };
  await eventually('every file belongs to a row', clean).catch(() => expect(unnamed).toEqual([]));
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

async function expectNothingLeft({ members }: World): Promise<void> {
  let left: unknown;
  const clean = async (): Promise<boolean> => {
    const found = await Promise.all(members.map(leftOf));
    left = found.flat();
    return found.flat().length === 0;
  };
  await eventually('nothing is left', clean).catch(() => expect(left).toEqual([]));
}

/** A process that lost its listening session has opened exactly one other. */
async function expectSameSubscriptions({ rows, subscriptions }: World): Promise<void> {
  if (subscriptions === 0) return;
  let now = 0;
  const same = async (): Promise<boolean> => {
    now = await rows.subscriptions();
    return now === subscriptions;
  };
  await eventually('all processes listen again', same).catch(() => expect(now).toBe(subscriptions));
}

async function leftOf({ name, pid, env, browsers, isRunning }: Member): Promise<string[]> {
  const who = `${name} ${pid}`;
  if (!isRunning()) {
    const folders = browserFolders(pid);
    return [...alive(browsers), ...folders].map((left) => `${who} (dead): ${left}`);
  }
  if (name === 'api')
    return listeners(pid).length === 1 ? [] : [`${who} listens on ${listeners(pid).join()}`];
  const slots = Number(env.WORKER_SLOTS);
  const groups = browserGroups(pid);
  const old = alive(new Set([...browsers].filter((group) => !groups.has(group))));
  // One for its probes, and the egress proxy of the page that each slot has prepared.
  const ports = listeners(pid);
  return [
    ...(groups.size === slots ? [] : [`${who} has ${groups.size} browsers`]),
    ...old.map((process) => `${who} left ${process}`),
    ...(ports.length === slots + 1 ? [] : [`${who} listens on ${ports.join()}`]),
  ];
}
