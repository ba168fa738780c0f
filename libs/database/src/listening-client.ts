import type pg from 'pg';
import { Client, connectionOf, destroy } from './client.js';
import { NoConnectionError } from './database-errors.js';

/** Nothing is sent on a connection that only listens, so only a statement shows that its server is gone or is a standby now. */
const PROBE_PERIOD_MS = 10_000;
const PROBE_TIMEOUT_MS = 5_000;

/**
 * A client for LISTEN. No notification is sent by a server that accepts no writes, so it does not stay connected to one: its
 * connect fails, and a connection whose server has become one, or no longer answers, is closed.
 */
export class ListeningClient extends Client {
  constructor(
    config?: string | pg.ClientConfig,
    private readonly probePeriodMs = PROBE_PERIOD_MS,
  ) {
    super(config);
  }

  override connect(): Promise<this>;
  override connect(callback: (error: null, client: this) => void): void;
  override connect(callback?: unknown): Promise<this> | void {
    if (callback !== undefined) throw new TypeError('A ListeningClient is connected with await.');
    return this.open();
  }

  private async open(): Promise<this> {
    await super.connect();
    try {
      await this.requireWrites();
    } catch (error) {
      destroy(this);
      throw error;
    }
    const probes = setInterval(() => {
      this.requireWrites().catch((error: unknown) => {
        destroy(this, error instanceof Error ? error.message : undefined);
      });
    }, this.probePeriodMs);
    connectionOf(this).once('end', () => {
      clearInterval(probes);
    });
    return this;
  }

  /** @throws NoConnectionError when the server accepts no writes */
  private async requireWrites(): Promise<void> {
    const probe = { text: 'SHOW transaction_read_only', query_timeout: PROBE_TIMEOUT_MS };
    const { rows } = await this.query<{ transaction_read_only: string }>(probe);
    if (rows[0]?.transaction_read_only !== 'off')
      throw new NoConnectionError('The database accepts no writes.');
  }
}
