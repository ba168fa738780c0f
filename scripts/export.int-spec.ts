import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@app/kernel';
import { createDatabase, type TestDatabase } from '../test/support/database.js';
import { runExport } from './export.js';

const EARLY = '2026-11-01T10:00:00Z';
const PICTURE = 'captures/00000000-0000-7000-8000-000000000001/file1.png';

describe('npm run export', () => {
  let source: TestDatabase;
  let target: TestDatabase;
  let folder: string;

  beforeAll(async () => {
    [source, target] = await Promise.all([createDatabase(), createDatabase()]);
    folder = await mkdtemp(path.join(tmpdir(), 'capture-export-'));
    await fill(source);
    await mkdir(path.dirname(path.join(folder, 'old', PICTURE)), { recursive: true });
    await writeFile(path.join(folder, 'old', PICTURE), 'a picture');
    await mkdir(path.join(folder, 'old/incoming'));
    await writeFile(path.join(folder, 'old/incoming/half'), 'half a picture');
  });

  afterAll(async () => {
    await Promise.all([source.drop(), target.drop(), rm(folder, { recursive: true })]);
  });

  const exported = (to: string, ...more: string[]) =>
    runExport(['--to', to, ...more], {
      DATABASE_URL: source.url,
      FILES_DIR: path.join(folder, 'old'),
    });
  const files = () => ['--files', path.join(folder, 'new')];

  it('refuses a source that is in use, and leaves the target as it is', async () => {
    await source.query(
      `INSERT INTO workers VALUES ('w1', 2, 0, 2, 'Chrome/156', true, now(), '[]', '{}')
       ON CONFLICT (id) DO UPDATE SET seen_at = now()`,
    );
    await expect(exported(target.url, ...files())).rejects.toThrow('w1 runs on the source');
    await source.query(`UPDATE workers SET seen_at = $1`, [EARLY]);
    expect(await rowsOf(target, 'accounts')).toEqual({ rows: 0, sum: null });
  });

  it('copies every row of every table, and every whole file', async () => {
    const tables = await tablesOf(source);
    const before = await contentsOf(source, tables);
    expect(before.filter(([, { rows }]) => rows === 0)).toEqual([]);
    const text = await exported(target.url, ...files());
    expect(text).toContain(`of ${tables.length} tables\ncopied 1 files (1 MB)\n`);
    expect(await contentsOf(target, tables)).toEqual(before);
    expect(await readFile(path.join(folder, 'new', PICTURE), 'utf8')).toBe('a picture');
    await expect(readFile(path.join(folder, 'new/incoming/half'))).rejects.toThrow('ENOENT');
  });

  it('leaves triggers on, and copies all that there is: the schema has no sequences', async () => {
    const { rows: triggers } = await target.query(
      `SELECT tgname FROM pg_trigger WHERE tgenabled = 'D' AND NOT tgisinternal`,
    );
    const { rows: sequences } = await target.query(
      `SELECT FROM pg_sequences WHERE sequencename <> 'migrations_id_seq'`,
    );
    expect([triggers, sequences]).toEqual([[], []]);
  });

  it('refuses to run a second time, and changes nothing', async () => {
    const before = await contentsOf(target, await tablesOf(target));
    await expect(exported(target.url, ...files())).rejects.toThrow('already has accounts');
    expect(await contentsOf(target, await tablesOf(target))).toEqual(before);
  });

  it.each([
    [['--to', 'postgres://localhost/x'], 'one of --files, --bucket and --no-files'],
    [['--to', 'postgres://localhost/x', '--files', 'a', '--no-files'], 'one of --files'],
    [['--no-files'], '--to is missing'],
    [['--to', 'mysql://localhost/x', '--no-files'], 'DATABASE_URL'],
  ])('refuses %j', async (args, message) => {
    await expect(runExport(args, { DATABASE_URL: source.url })).rejects.toThrow(message);
  });

  it('says which database cannot be reached', async () => {
    const nowhere = 'postgres://capture@127.0.0.1:1/capture';
    await expect(exported(nowhere, '--no-files')).rejects.toThrow('The database of --to cannot be used');
  });
});

async function tablesOf(database: TestDatabase): Promise<string[]> {
  const { rows } = await database.query<{ name: string }>(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'migrations' ORDER BY 1`,
  );
  return rows.map(({ name }) => name);
}

async function rowsOf(database: TestDatabase, table: string): Promise<{ rows: number; sum: string | null }> {
  const { rows } = await database.query<{ rows: number; sum: string | null }>(
    `SELECT count(*)::int AS rows, md5(string_agg(t::text, chr(10) ORDER BY t::text)) AS sum FROM ${table} AS t`,
  );
  return rows[0] ?? { rows: 0, sum: null };
}

function contentsOf(database: TestDatabase, tables: string[]) {
  return Promise.all(tables.map(async (table) => [table, await rowsOf(database, table)] as const));
}

/** A row or more in every table, with text that a copy could spoil; the triggers add those of the sums. */
async function fill(database: TestDatabase): Promise<void> {
  const account = await database.addAccount();
  const [batch, job] = [newId(), newId()];
  const add = (table: string, row: Record<string, unknown>) => {
    const places = Object.keys(row).map((_, i) => `$${i + 1}`);
    return database.query(
      `INSERT INTO ${table} (${Object.keys(row).join(', ')}) VALUES (${places.join(', ')})`,
      Object.values(row),
    );
  };
  const bytes = Buffer.from([0, 1, 92, 255]);
  const own = { account_id: account };
  await add('api_keys', { id: 'k1', ...own, name: 'tab\tand \\N', secret_sha256: bytes });
  const actor = JSON.stringify({ kind: 'command' });
  await add('audit_events', { id: newId(), action: 'key.created', subject_id: 'k1', ...own, actor });
  await add('batches', { id: batch, ...own, status: 'completed', total: 1, succeeded: 1 });
  const kind = {
    source: 'batch',
    format: 'png',
    options: { js: 'a\n"b"' },
    timeout_ms: 1,
    usage_period: '2026-11',
  };
  const state = {
    status: 'succeeded',
    created_at: EARLY,
    finished_at: EARLY,
    other_extensions: ['a,b', '"'],
  };
  await add('jobs', {
    id: job,
    ...own,
    batch_id: batch,
    secrets: bytes,
    title: 'Ünïcode\r\n',
    ...kind,
    ...state,
  });
  await add('jobs', { id: newId(), ...own, batch_id: batch, ...kind, status: 'queued' });
  await add('capture_files', {
    capture_id: job,
    position: 1,
    name: 'result',
    format: 'png',
    key: PICTURE,
    content_type: 'image/png',
    bytes: 1,
    sha256: 'ab',
    truncated: false,
  });
  await add('cache_entries', { ...own, key: bytes, kept_until: EARLY });
  await add('concurrency_slots', { job_id: job, ...own, held_until: EARLY, free_by: EARLY });
  await add('console_log_ins', { token_sha256: bytes, key_id: 'k1', expires_at: EARLY });
  await add('console_session_keys', { token_sha256: bytes, key_id: 'k1', expires_at: EARLY });
  await add('health_changes', { dependency: 'store', at: EARLY, status: 'down', error: 'a\tb' });
  await add('idempotency_keys', { ...own, key: 'again', fingerprint: bytes, subject_id: job });
  await add('job_hours', {
    ...own,
    hour: EARLY,
    measure: 'status',
    value: 'succeeded',
    captures: 1,
    bytes: 9,
  });
  await database.query(`DELETE FROM job_hours_summed`);
  await add('job_hours_summed', { until: EARLY });
  await database.query(`DELETE FROM job_orphaned_files_swept`);
  await add('job_orphaned_files_swept', { finished_at: EARLY, id: job });
  const [monitor, schedule] = [newId(), { every_s: 60, is_batch: false }];
  await add('monitors', { id: monitor, ...own, name: 'pricing', ...schedule, alert: '{}', keep: '{}' });
  await add('monitor_pages', { monitor_id: monitor, page: 1, id: newId(), ...own, options: '{}' });
  const check = { page: 1, due_at: EARLY, trigger: 'schedule', capture_ids: [job] };
  await add('monitor_checks', { id: newId(), monitor_id: monitor, ...own, ...check });
  const crawl = newId();
  await add('crawls', {
    id: crawl,
    ...own,
    url: 'https://example.com/',
    rules: '{}',
    skipped: '{}',
    defaults: bytes,
  });
  const found = {
    number: 1,
    url: 'https://example.com/',
    pattern: '',
    depth: 0,
    found_by: 'start',
    state: 'found',
  };
  await add('crawl_pages', { crawl_id: crawl, key: bytes, ...found });
  await add('crawl_robots', { crawl_id: crawl, origin: 'https://example.com', content: '' });
  const secret = { secrets: bytes, state: bytes, expires_at: EARLY };
  const lasts = { keep_alive_s: 1, expires_in_s: 1 };
  const origins = ['https://example.com'];
  await add('sessions', {
    id: newId(),
    ...own,
    name: 'shop',
    status: 'active',
    origins,
    ...lasts,
    ...secret,
  });
  await add('rate_buckets', { ...own, rate: 600, level: 5, asked: 1, at_ms: 1 });
  await add('shared_files', { id: job, ...own, keys: [PICTURE], check_at: EARLY });
  await add('signing_secrets', { key_id: 'k1', secret: bytes });
  await add('usage_counters', { ...own, period: '2026-11', used: 1 });
  await add('usage_ledger', { job_id: job, ...own, period: '2026-11', at: EARLY });
  const delivery = { id: newId(), ...own, subject_id: job, type: 'job.succeeded', url: 'https://a.example/' };
  await add('webhook_deliveries', { ...delivery, host: 'a.example', body: '{"a":"\\n"}' });
  await add('webhook_secrets', { ...own, secret: bytes });
  await add('webhook_stops', { ...own, url: 'https://a.example/' });
}
