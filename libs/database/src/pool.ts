import pg from 'pg';
import { AppError, FairTurns } from '@app/kernel';
import { Client, connectionOf } from './client.js';
import { currentOwner, type ConnectionOwner } from './connection-owner.js';
import { NoConnectionError, READ_ONLY } from './database-errors.js';

type Connected = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  release: pg.PoolClient['release'],
) => void;

/** A place in the pool, under the name that its owner had when it was taken. */
interface Turn {
  readonly name: string;
  readonly owner: ConnectionOwner | undefined;
}

export interface PoolSettings extends pg.PoolConfig {
  /** A connection without a byte in either direction for this time is closed, which fails its statement. */
  readonly silenceMs?: number;
}

/** pg's own default. */
const DEFAULT_MAX = 10;
/** pg waits for a connection without end by default; so does a test. */
const NO_TIMEOUT_MS = 600_000;
/**
 * Requests of one account that wait for each connection it may have. With statements of some milliseconds the last of them
 * waits for less than a second.
 */
const WAITING_OF_EACH = 20;
/** The owner of what belongs to no account, which may have all connections. */
const SERVICE = 'service';

/** While only a standby can be reached, a connection to it is used for this long. */
const READ_ONLY_USE_MS = 1_000;

/**
 * The pool of pg with five changes. One account holds at most half of the connections, and accounts that wait for one take
 * turns, so that a flood of requests of one account leaves the others unharmed; a request that comes when very many of its
 * account wait is refused before it has done anything. A connection that breaks never ends the process. A failure to
 * connect has an error class of its own, because pg reports a timeout only by its message. A connection whose other end is
 * gone without closing it (a power failure, a firewall that dropped its state) is closed: the kernel would wait for a
 * quarter of an hour, and pg's own `query_timeout` returns such a connection to the pool. And no connection to a standby
 * outlives the failover that led to it: one that is known to be read-only is replaced after a second, and as soon as another
 * one accepts writes.
 */
export class Pool extends pg.Pool {
  private readonly turns: FairTurns;
  private readonly maxOfAccount: number;
  private readonly timeoutMs: number;
  /** The turns of the connections in use. */
  private readonly inUse = new WeakMap<pg.ClientBase, Turn>();
  private readonly openedAt = new WeakMap<pg.ClientBase, number>();
  /** When a connection was opened whose server accepts writes. */
  private writableAt = -Infinity;
  /** When a server, of which that was not known, refused a write: older connections lead to it as well. */
  private refusedAt = -Infinity;

  constructor({ silenceMs, ...config }: PoolSettings = {}) {
    super({ Client, ...config });
    const max = config.max ?? DEFAULT_MAX;
    this.maxOfAccount = Math.ceil(max / 2);
    this.turns = new FairTurns({ max, maxOfOwner: this.maxOfAccount, unlimited: SERVICE });
    this.timeoutMs = config.connectionTimeoutMillis ?? NO_TIMEOUT_MS;
    // An idle connection broke; the next statement opens another.
    this.on('error', () => undefined);
    this.on('connect', (client) => {
      this.watch(client);
      if (silenceMs !== undefined) endWhenSilent(client, silenceMs);
    });
    this.on('release', (_error, client) => {
      this.endTurn(this.inUse.get(client));
      this.inUse.delete(client);
    });
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callBack: Connected): void;
  override connect(callBack?: Connected): Promise<pg.PoolClient> | void {
    const connecting = this.connectInTurn(currentOwner());
    if (!callBack) return connecting;
    connecting.then(
      (client) => {
        callBack(undefined, client, (error) => {
          client.release(error);
        });
      },
      (error: unknown) => {
        callBack(error as Error, undefined, () => undefined);
      },
    );
  }

  /** How many calls wait for a connection. */
  get waiting(): number {
    return this.turns.waiting() + this.waitingCount;
  }

  private async connectInTurn(owner: ConnectionOwner | undefined): Promise<pg.PoolClient> {
    const turn = await this.beginTurn(owner);
    try {
      const client = await this.connectUpToDate();
      this.inUse.set(client, turn);
      return client;
    } catch (cause) {
      this.endTurn(turn);
      throw noConnection(cause);
    }
  }

  private async connectUpToDate(): Promise<pg.PoolClient> {
    for (;;) {
      const client = await super.connect();
      if (!this.isOutdated(client)) return client;
      client.release(true);
    }
  }

  private watch(client: pg.ClientBase): void {
    const now = performance.now();
    this.openedAt.set(client, now);
    if (!isReadOnly(client)) this.writableAt = now;
    connectionOf(client).on('errorMessage', ({ code }) => {
      if (code === READ_ONLY && !isReadOnly(client)) this.refusedAt = performance.now();
    });
  }

  private isOutdated(client: pg.ClientBase): boolean {
    const openedAt = this.openedAt.get(client) ?? 0;
    if (openedAt < this.refusedAt) return true;
    if (!isReadOnly(client)) return false;
    return openedAt < this.writableAt || performance.now() - openedAt > READ_ONLY_USE_MS;
  }

  private async beginTurn(owner: ConnectionOwner | undefined): Promise<Turn> {
    const name = owner?.accountId ?? SERVICE;
    const isFull = this.turns.waiting(name) >= WAITING_OF_EACH * this.maxOfAccount;
    if (isFull && name !== SERVICE && owner?.hasBegun === false) throw tooManyWaiting();
    const mayExceed = (owner?.held ?? 0) > 0;
    if (owner) owner.hasBegun = true;
    const hasTurn = await this.turns.waitForTurn(name, { timeoutMs: this.timeoutMs, mayExceed });
    if (!hasTurn) throw noConnection(new Error('No connection of the pool was free in time.'));
    if (owner) owner.held++;
    return { name, owner };
  }

  private endTurn(turn: Turn | undefined): void {
    if (!turn) return;
    if (turn.owner) turn.owner.held--;
    this.turns.end(turn.name);
  }
}

function tooManyWaiting(): AppError {
  return new AppError('rate_limited', {
    detail: 'Very many requests of the account wait for an answer. Send fewer of them at a time.',
    retryAfterS: 1,
  });
}

function isReadOnly(client: pg.ClientBase): boolean {
  return client instanceof Client && client.isReadOnly;
}

function endWhenSilent(client: pg.ClientBase, silenceMs: number): void {
  const { stream } = connectionOf(client);
  stream.setTimeout(silenceMs, () => {
    stream.destroy(new Error(`The database was silent for ${silenceMs} ms.`));
  });
}

function noConnection(cause: unknown): NoConnectionError {
  return new NoConnectionError('The database could not be connected to.', { cause });
}
