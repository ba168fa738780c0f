import { pipeline } from 'node:stream/promises';
import { Client, migrate } from '@app/database';
import { StartupError } from '@app/kernel';
import type pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';

export interface Databases {
  readonly source: string;
  readonly target: string;
}

export interface CopiedRows {
  readonly tables: number;
  readonly rows: number;
}

/** A worker says every few seconds that it lives. */
const ALIVE_WITHIN_S = 30;

/**
 * Gives the target the schema of the source, and checks that rows can be copied into it.
 *
 * @throws StartupError when the target already has accounts, or the source is in use or has another schema
 */
export async function prepareTarget({ source, target }: Databases): Promise<void> {
  await using from = await connect(source, 'of the source');
  await using to = await connect(target, 'of --to');
  await requireStopped(from);
  await migrate(target);
  await requireEmpty(to);
  const [ours, theirs] = await Promise.all([from, to].map(migrationsOf));
  if (ours !== theirs)
    throw new StartupError(
      'The schema of the source is not that of this version: run `npm start`, or `npm run migrate`, first.',
    );
}

/**
 * Copies all rows of a snapshot of the source in one transaction of the target, which has all of them or none.
 *
 * @throws StartupError when the target has accounts by now
 */
export async function copyRows({ source, target }: Databases): Promise<CopiedRows> {
  await using from = await connect(source, 'of the source');
  await using to = await connect(target, 'of --to');
  await from.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  await from.query(`SET LOCAL datestyle TO 'ISO, YMD'`);
  await to.query('BEGIN');
  const tables = await tablesOf(to);
  const all = tables.map(({ name }) => name).join(', ');
  await to.query(`LOCK TABLE ${all} IN ACCESS EXCLUSIVE MODE`);
  await requireEmpty(to);
  // Migrations leave a few rows in an empty database. The audit trail has none, and refuses to be truncated.
  for (const { name } of tables.toReversed()) await to.query(`DELETE FROM ${name}`);
  let rows = 0;
  for (const table of tables) rows += await copyTable({ from, to, table });
  await to.query('COMMIT');
  await to.query('ANALYZE');
  return { tables: tables.length, rows };
}

type Connection = pg.Client & AsyncDisposable;

async function connect(connectionString: string, which: string): Promise<Connection> {
  const client = new Client({ connectionString, application_name: 'capture-export' });
  try {
    await client.connect();
  } catch (cause) {
    const reason = cause instanceof Error && cause.message !== '' ? cause.message : String(cause);
    throw new StartupError(`The database ${which} cannot be used: ${reason}`, { cause });
  }
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}

async function requireStopped(from: Connection): Promise<void> {
  const { rows } = await from.query<{ id: string }>(
    `SELECT id FROM workers WHERE seen_at > now() - make_interval(secs => $1) LIMIT 1`,
    [ALIVE_WITHIN_S],
  );
  if (rows[0])
    throw new StartupError(
      `The worker ${rows[0].id} runs on the source. Stop the API and the workers first (a killed worker: wait ${ALIVE_WITHIN_S} s).`,
    );
}

async function requireEmpty(to: Connection): Promise<void> {
  const { rowCount } = await to.query('SELECT FROM accounts LIMIT 1');
  if (rowCount !== 0)
    throw new StartupError('The database of --to already has accounts: export into an empty one.');
}

async function migrationsOf(client: Connection): Promise<string> {
  const { rows } = await client.query<{ names: string | null }>(
    `SELECT string_agg(name, ' ' ORDER BY name) AS names FROM migrations`,
  );
  return rows[0]?.names ?? '';
}

interface Table {
  readonly name: string;
  readonly columns: string;
}

/** All tables of ours, each after those that it refers to. */
async function tablesOf(client: Connection): Promise<Table[]> {
  const { rows } = await client.query<Table & { refers_to: string[] }>(
    `SELECT quote_ident(class.relname) AS name,
            (SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute
              WHERE attrelid = class.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = '') AS columns,
            ARRAY(SELECT DISTINCT quote_ident(other.relname) FROM pg_constraint
                    JOIN pg_class AS other ON other.oid = confrelid
                   WHERE conrelid = class.oid AND contype = 'f' AND confrelid <> conrelid) AS refers_to
       FROM pg_class AS class
      WHERE class.relnamespace = 'public'::regnamespace AND class.relkind = 'r' AND class.relname <> 'migrations'
      ORDER BY 1`,
  );
  const ordered: Table[] = [];
  const done = new Set<string>();
  let waiting = rows;
  while (waiting.length > 0) {
    const ready = waiting.filter(({ refers_to }) => refers_to.every((name) => done.has(name)));
    if (ready.length === 0) throw new Error('Tables refer to each other in a circle.');
    ready.forEach(({ name }) => done.add(name));
    ordered.push(...ready);
    waiting = waiting.filter(({ name }) => !done.has(name));
  }
  return ordered;
}

interface Copy {
  readonly from: Connection;
  readonly to: Connection;
  readonly table: Table;
}

async function copyTable({ from, to, table: { name, columns } }: Copy): Promise<number> {
  // The source's triggers have counted these rows already. The owner of a table may switch its own triggers off.
  await to.query(`ALTER TABLE ${name} DISABLE TRIGGER USER`);
  const rows = to.query(copyFrom(`COPY ${name} (${columns}) FROM STDIN`));
  await pipeline(from.query(copyTo(`COPY ${name} (${columns}) TO STDOUT`)), rows);
  await to.query(`ALTER TABLE ${name} ENABLE TRIGGER USER`);
  return rows.rowCount ?? 0;
}
