import pg from 'pg';

/**
 * The client of pg with a listener for errors from the start. A connection that breaks while nobody listens, such as
 * between two statements of a transaction or right after the connect, would otherwise end the process. Nothing is hidden:
 * the statement under way and every later one fail with the error.
 */
export class Client extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    this.on('error', () => undefined);
  }
}
