import pg from 'pg';
import { eventually } from '../../support/eventually.js';

/** A job's change of state, as a trigger of the database recorded it. */
export interface Move {
  readonly job_id: string;
  readonly status: string;
  readonly attempt: number;
  readonly worker_id: string | null;
}

interface RowLock extends AsyncDisposable {
  isWaitedFor(): Promise<boolean>;
  release(): Promise<void>;
}

/** Reads the rows of the service from outside, also across restarts of the database. */
export class Rows {
  private readonly pool: pg.Pool;

  constructor(url: string) {
    this.pool = new pg.Pool({ connectionString: url, max: 3 });
    this.pool.on('error', () => undefined);
  }

  async query<T extends object>(sql: string, values: readonly unknown[] = []): Promise<T[]> {
    return (await this.pool.query<T>(sql, [...values])).rows;
  }

  /** Makes the database record every change of a job's state, which the service itself does not keep. */
  async watchMoves(): Promise<void> {
    await this.query(`
      CREATE TABLE seen_moves (
        seen bigserial, job_id uuid, status text, attempt int, worker_id text,
        at timestamptz DEFAULT clock_timestamp());
      CREATE INDEX ON seen_moves (job_id);
      CREATE FUNCTION see_move() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        INSERT INTO seen_moves (job_id, status, attempt, worker_id)
        VALUES (NEW.id, NEW.status, NEW.attempt, NEW.worker_id);
        RETURN NULL; END $$;
      CREATE TRIGGER see_moves AFTER INSERT OR UPDATE OF status ON jobs FOR EACH ROW EXECUTE FUNCTION see_move();`);
  }

  /** Makes the database refuse all writes, as a server does that a failover has made a standby. */
  async refuseWrites(isRefused: boolean): Promise<void> {
    await this.query(`ALTER SYSTEM SET default_transaction_read_only = ${isRefused ? 'on' : 'off'}`);
    await this.query('SELECT pg_reload_conf()');
    // The server reads its settings some time after the query, and then tells all of its sessions.
    const seen = async (): Promise<boolean> => {
      const [row] = await this.query<{ value: string }>(
        `SELECT current_setting('default_transaction_read_only') AS value`,
      );
      return row?.value === (isRefused ? 'on' : 'off');
    };
    await eventually('the server has read its settings', seen);
  }

  moves(jobId: string): Promise<Move[]> {
    return this.query(
      'SELECT job_id, status, attempt, worker_id FROM seen_moves WHERE job_id = $1 ORDER BY seen',
      [jobId],
    );
  }

  async job(jobId: string): Promise<Record<string, unknown>> {
    const [row] = await this.query<Record<string, unknown>>('SELECT * FROM jobs WHERE id = $1', [jobId]);
    if (!row) throw new Error(`There is no job ${jobId}`);
    return row;
  }

  /** Waits until a job has entered this state `times` times. */
  async moved(jobId: string, status: string, { times = 1, withinMs = 90_000 } = {}): Promise<void> {
    const reached = async (): Promise<boolean> => {
      const moves = await this.moves(jobId).catch(() => []);
      return moves.filter((move) => move.status === status).length >= times;
    };
    await eventually(`${jobId} is ${status} ${times} times`, reached, withinMs);
  }

  /** Waits until all these jobs have succeeded. */
  async succeeded(jobIds: readonly string[], withinMs = 90_000): Promise<void> {
    const reached = async (): Promise<boolean> => {
      const ended = await this.query(
        `SELECT DISTINCT job_id FROM seen_moves WHERE job_id = ANY($1) AND status = 'succeeded'`,
        [jobIds],
      ).catch(() => []);
      return ended.length === jobIds.length;
    };
    await eventually(`${jobIds.length} jobs have succeeded`, reached, withinMs);
  }

  async unfinished(): Promise<string[]> {
    const rows = await this.query<{ id: string }>(
      `SELECT id FROM jobs WHERE status IN ('queued', 'running')`,
    );
    return rows.map(({ id }) => id);
  }

  /** Locks the row of a job until the test releases it. */
  async lock(jobId: string): Promise<RowLock> {
    const client = await this.pool.connect();
    await client.query('BEGIN');
    await client.query('SELECT FROM jobs WHERE id = $1 FOR UPDATE', [jobId]);
    const [{ pid } = { pid: 0 }] = (await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid'))
      .rows;
    let held = true;
    const release = async (): Promise<void> => {
      if (!held) return;
      held = false;
      await client.query('ROLLBACK');
      client.release();
    };
    const isWaitedFor = async (): Promise<boolean> =>
      (await this.query('SELECT FROM pg_stat_activity WHERE $1 = ANY(pg_blocking_pids(pid))', [pid])).length >
      0;
    return { isWaitedFor, release, [Symbol.asyncDispose]: release };
  }

  /** Number of sessions that listen for notifications: our own, and those of BullMQ, which bear the name of their lane. */
  async subscriptions(): Promise<number> {
    const rows = await this.query(
      `SELECT FROM pg_stat_activity WHERE application_name ~ '^(capture-notifications|interactive|background)'`,
    );
    return rows.length;
  }

  /** Waits until every capture has reached a final state. */
  async ended(withinMs = 90_000): Promise<void> {
    const over = async (): Promise<boolean> => (await this.unfinished()).length === 0;
    await eventually('every capture has ended', over, withinMs);
  }

  async close(): Promise<void> {
    await this.pool.end();
  }
}
