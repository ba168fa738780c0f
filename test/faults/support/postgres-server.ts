import { appendFile, cp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { startPostgres } from '../../../apps/launcher/src/postgres.mjs';
import { freePort } from '../../support/free-port.js';
import { postgresOfTests } from '../../../apps/launcher/src/debian-postgres.mjs';

/** The PostgreSQL of one world, which can be stopped and started again with the same data on the same port. */
export class PostgresServer {
  private process: { readonly pid: number; stop(): Promise<void> } | undefined;
  private address = '';

  private constructor(
    private readonly dir: string,
    private readonly port: number,
  ) {}

  static async open(folder: string): Promise<PostgresServer> {
    const server = new PostgresServer(path.join(folder, 'postgres'), await freePort());
    await server.start();
    return server;
  }

  /**
   * Opens a standby that follows this server, which is restarted for it: PostgreSQL copies the data of a server that was
   * shut down without further ado, and npm brings no tool that copies a running one.
   */
  async openStandby(): Promise<PostgresServer> {
    const standby = new PostgresServer(`${this.dir}-standby`, await freePort());
    await this.stop();
    for (const suffix of ['', '.password'])
      await cp(`${this.dir}${suffix}`, `${standby.dir}${suffix}`, {
        recursive: true,
        preserveTimestamps: true,
      });
    await this.start();
    await writeFile(path.join(standby.dir, 'standby.signal'), '');
    const settings = `primary_conninfo = '${this.url}'\nhot_standby = on\n`;
    await appendFile(path.join(standby.dir, 'postgresql.auto.conf'), settings);
    await standby.start();
    return standby;
  }

  get url(): string {
    return this.address;
  }

  async start(): Promise<void> {
    const { url } = await startPostgres({
      dir: this.dir,
      port: this.port,
      programs: await postgresOfTests(),
      onSpawn: (process) => (this.process = process),
    });
    this.address = url;
  }

  /** Stops as `pg_ctl stop -m immediate` does: it cuts the sessions, and the next start recovers from the log. */
  async crash(): Promise<void> {
    const { process: running } = this;
    if (!running) return;
    process.kill(running.pid, 'SIGQUIT');
    await this.stop();
  }

  async stop(): Promise<void> {
    const { process: running } = this;
    this.process = undefined;
    await running?.stop();
  }
}
