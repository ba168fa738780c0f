import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import pg from 'pg';
import { READ_ONLY } from './database-errors.js';

/** What the server reports of itself at the start of a session, and when it changes. */
const READ_ONLY_PARAMETERS = ['in_hot_standby', 'default_transaction_read_only'];

interface ConnectionEvents {
  end: [];
  errorMessage: [{ code?: string }];
  parameterStatus: [{ parameterName: string; parameterValue: string }];
}

interface Connection extends EventEmitter<ConnectionEvents> {
  readonly stream: Socket;
}

/** The connection of a client, which the types of pg leave out. */
export function connectionOf(client: pg.ClientBase): Connection {
  return (client as unknown as { connection: Connection }).connection;
}

/**
 * The client of pg with two changes. An error without a listener is dropped instead of thrown: a connection that breaks
 * while nobody listens, such as between two statements of a transaction or right after the connect, would otherwise end the
 * process. Nothing is hidden: the statement under way and every later one fail with the error. And a connection to a server
 * that refused a write because it is a standby is closed: after a failover the address leads to the new server, but
 * existing connections stay with the old one.
 */
export class Client extends pg.Client {
  private readonly readOnlyBy = new Set<string>();
  private broken = false;

  constructor(config?: string | pg.ClientConfig) {
    super(config);
    const connection = connectionOf(this);
    connection.on('parameterStatus', ({ parameterName, parameterValue }) => {
      if (!READ_ONLY_PARAMETERS.includes(parameterName)) return;
      if (parameterValue === 'on') this.readOnlyBy.add(parameterName);
      else this.readOnlyBy.delete(parameterName);
    });
    connection.on('errorMessage', ({ code }) => {
      // Deferred, so that the statement still gets its error.
      if (code === READ_ONLY) setImmediate(() => destroy(this, 'The database accepts no writes.'));
    });
  }

  /** Whether the server has said that it accepts no writes. */
  get isReadOnly(): boolean {
    return this.readOnlyBy.size > 0;
  }

  /** Whether the connection is lost for good. */
  get isBroken(): boolean {
    return this.broken;
  }

  override emit(event: string | symbol, ...values: unknown[]): boolean {
    if (event === 'error') {
      this.broken = true;
      if (this.listenerCount('error') === 0) return false;
    }
    return super.emit(event, ...values);
  }
}

/** Closes the connection without waiting for the server, which may be gone. */
export function destroy(client: pg.ClientBase, reason?: string): void {
  connectionOf(client).stream.destroy(reason === undefined ? undefined : new Error(reason));
}
