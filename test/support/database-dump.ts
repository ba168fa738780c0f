import type { TestDatabase } from './database.js';

/** All rows of all tables as text; bytes are hexadecimal. */
export async function dumpOf(database: TestDatabase): Promise<string> {
  const { rows: tables } = await database.query<{ name: string }>(
    `SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public'`,
  );
  const dumps = tables.map(({ name }) => database.query<object>(`SELECT t::text FROM ${name} t`));
  return JSON.stringify((await Promise.all(dumps)).map(({ rows }) => rows));
}
