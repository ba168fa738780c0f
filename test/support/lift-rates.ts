import pg from 'pg';

/** For tests that ask as fast as they can: as good as no rate for all accounts, also for those made later. */
export async function liftRates(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(
    `ALTER TABLE accounts ALTER COLUMN rate SET DEFAULT 1000000, ALTER COLUMN burst SET DEFAULT 1000000`,
  );
  await client.query(`UPDATE accounts SET rate = DEFAULT, burst = DEFAULT`);
  await client.end();
}
