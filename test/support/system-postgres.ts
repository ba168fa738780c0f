import { spawn } from 'node:child_process';
import { accessSync, constants, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { asNobody, end, run, tied } from '../../apps/launcher/src/processes.mjs';
import { eventually } from './eventually.js';
import { freePort } from './free-port.js';

/** Where Debian installs each version with its tools. */
const VERSIONS = '/usr/lib/postgresql';
const PASSWORD = 'of-the-server';

/** The programs of the newest PostgreSQL of this machine that has the tools for backups; undefined without one. */
export function findSystemPostgres(): string | undefined {
  const folders = listed(VERSIONS).map((version) => path.join(VERSIONS, version, 'bin'));
  const hasAll = (folder: string): boolean =>
    ['postgres', 'initdb', 'pg_dump', 'pg_restore'].every((tool) => isProgram(path.join(folder, tool)));
  return folders.filter(hasAll).sort().at(-1);
}

/** A PostgreSQL of the system with a folder of its own, as an operator would run it. */
export class SystemPostgres implements AsyncDisposable {
  private constructor(
    private readonly bin: string,
    private readonly port: number,
    private readonly stop: () => Promise<void>,
  ) {}

  static async open(bin: string, folder: string): Promise<SystemPostgres> {
    mkdirSync(folder, { recursive: true });
    const [dir, password] = [path.join(folder, 'data'), path.join(folder, 'password')];
    writeFileSync(password, PASSWORD, { mode: 0o600 });
    const flags = ['-D', dir, '-U', 'capture', `--pwfile=${password}`, '--auth=scram-sha-256', '--no-sync'];
    const made = await run(
      asNobody(tied(path.join(bin, 'initdb'), [...flags, '--encoding=UTF8', '--locale=C'])),
    );
    if (made.code !== 0) throw new Error(made.stderr);
    const port = await freePort();
    const settings = { listen_addresses: '127.0.0.1', port, unix_socket_directories: '', fsync: 'off' };
    const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const server = asNobody(tied(path.join(bin, 'postgres'), ['-D', dir, ...options], 'INT'));
    const child = spawn(server.command, server.args, { detached: true, stdio: 'ignore' });
    const opened = new SystemPostgres(bin, port, () => end(child, { signal: 'SIGINT', graceMs: 20_000 }));
    await eventually('PostgreSQL answers', () =>
      opened.query('SELECT 1').then(
        () => true,
        () => false,
      ),
    );
    return opened;
  }

  urlOf(database: string): string {
    return `postgres://capture:${PASSWORD}@127.0.0.1:${this.port}/${database}`;
  }

  async createDatabase(name: string): Promise<string> {
    await this.query(`CREATE DATABASE ${name}`);
    return this.urlOf(name);
  }

  /** Runs `pg_dump` or `pg_restore`. */
  async tool(name: 'pg_dump' | 'pg_restore', args: string[]): Promise<void> {
    const { code, stderr } = await run({ command: path.join(this.bin, name), args });
    if (code !== 0) throw new Error(`${name}: ${stderr}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  private async query(sql: string): Promise<void> {
    const client = new pg.Client({ connectionString: this.urlOf('postgres') });
    await client.connect();
    try {
      await client.query(sql);
    } finally {
      await client.end();
    }
  }
}

function listed(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
