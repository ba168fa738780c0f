import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { LANES } from '@app/jobs';
import { type AppProcess, startApp } from '../../support/app-process.js';
import { Client, json, type Json } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { freePort } from '../../support/free-port.js';
import { liftRates } from '../../support/database.js';
import type { FaultSite } from './fault-site.js';
import { browserGroups } from './process-state.js';
import { Rows } from './rows.js';
import { openServers, settingsFor, type Queue, type Servers, type Variables } from './servers.js';
import { diskStore, type Store } from './store.js';
import type { WebhookReceiver } from './webhook-receiver.js';

const LOG_CHARACTERS = 6_000;

export interface WorldSettings {
  readonly queue?: Queue;
  readonly apis?: number;
  readonly workers?: number;
  /** Variables of libs/config, for all processes. */
  readonly env?: Variables;
  /** The file store that `env` names; by default a folder of the world. */
  readonly store?: Store;
}

/** A process of the service, running or ended. */
export interface Member extends AppProcess {
  readonly name: 'api' | 'worker';
  readonly env: Variables;
  /** The process groups of its browsers, as `noteBrowsers` has seen them. */
  readonly browsers: Set<number>;
}

/**
 * The whole service as it runs in production, with servers of its own: PostgreSQL and Redis that a test can stop and
 * start, APIs and workers that it can kill, and a site and an endpoint for webhooks that it controls.
 */
export class World {
  readonly members: Member[] = [];
  /** Ids of the captures that the service has accepted. */
  readonly accepted = new Set<string>();
  /** The key of the account `default`. */
  firstKey = '';
  /** Number of database sessions that listen for notifications when nothing has failed. */
  subscriptions = 0;
  private wanted = { apis: 0, workers: 0 };

  private constructor(
    readonly servers: Servers,
    readonly rows: Rows,
    readonly store: Store,
    private readonly env: Variables,
    private readonly cleanUp: AsyncDisposableStack,
  ) {}

  /** Starts everything and waits until it is ready. */
  static async open({ apis = 1, workers = 2, ...settings }: WorldSettings = {}): Promise<World> {
    const world = await World.prepare(settings);
    world.wanted = { apis, workers };
    try {
      await world.restore();
      await world.untilAllListen();
      return world;
    } catch (error) {
      await world.close().catch(() => undefined);
      throw error;
    }
  }

  /** Starts everything but the processes of the service; `migrated: false` also leaves the database empty. */
  static async prepare({
    queue,
    env,
    store,
    migrated = true,
  }: WorldSettings & { migrated?: boolean }): Promise<World> {
    await using opened = new AsyncDisposableStack();
    const servers = await openServers(queue ?? 'PostgreSQL', opened);
    const rows = new Rows(servers.postgres.url);
    opened.defer(() => rows.close());
    const files = store ?? diskStore(path.join(servers.folder, 'data/files'));
    const world = new World(servers, rows, files, { ...settingsFor(servers), ...env }, opened.move());
    try {
      if (migrated) await world.migrate();
      return world;
    } catch (error) {
      await world.close();
      throw error;
    }
  }

  /**
   * Waits until every running process listens, which must hold again after the fault. A worker is ready a moment before
   * BullMQ listens for the entries of its lanes, which it does on PostgreSQL only.
   */
  async untilAllListen(): Promise<void> {
    const ofWorker = this.servers.redis ? 1 : 1 + LANES.length;
    this.subscriptions = this.apis.length + this.workers.length * ofWorker;
    const all = async (): Promise<boolean> => (await this.rows.subscriptions()) === this.subscriptions;
    await eventually('every process listens', all);
  }

  get site(): FaultSite {
    return this.servers.site;
  }

  get receiver(): WebhookReceiver {
    return this.servers.receiver;
  }

  get apis(): Member[] {
    return this.members.filter((member) => member.name === 'api' && member.isRunning());
  }

  get workers(): Member[] {
    return this.members.filter((member) => member.name === 'worker' && member.isRunning());
  }

  /** A client with the key of the account `default`, at the first API. */
  get client(): Client {
    return this.clientOf(this.firstKey);
  }

  /** A client with any key, at any API. */
  clientOf(key: string, api = this.apis[0]): Client {
    if (!api) throw new Error('No API runs.');
    return new Client({ url: api.url, key });
  }

  /** Creates the schema, as this checkout or another one has it, and the account `default`. */
  async migrate(checkout?: string): Promise<void> {
    const words = ['prepare-database'];
    this.firstKey = (await this.script('apps/launcher/src/tasks.mjs', words, checkout)).trim();
    await liftRates(this.servers.postgres.url);
    await this.rows.watchMoves();
  }

  /** Creates an account; returns its key. */
  async account(name: string, concurrency = 10): Promise<string> {
    const words = ['create', '--account', name, '--concurrency', String(concurrency), '--json'];
    return (JSON.parse(await this.script('dist/scripts/keys.js', words)) as { key: string }).key;
  }

  /** Starts one more process of the service, of this checkout or of another one, and waits until it is ready. */
  async start(name: Member['name'], env: Variables = {}, checkout?: string): Promise<Member> {
    const port = await freePort();
    const all = { ...this.env, ...env, [name === 'api' ? 'PORT' : 'WORKER_PORT']: String(port) };
    const app = startApp({ name, port, env: all, checkout });
    const member = { ...app, name, env: all, browsers: new Set<number>() };
    this.members.push(member);
    await member.ready();
    return member;
  }

  /** Starts the missing processes, as an orchestrator would. */
  async restore(): Promise<void> {
    for (const member of this.members) if (member.isRunning()) member.kill('SIGCONT');
    await Promise.all([
      ...missing(this.wanted.apis, this.apis).map(() => this.start('api')),
      ...missing(this.wanted.workers, this.workers).map(() => this.start('worker')),
    ]);
  }

  /** Sends SIGKILL and waits for the end. */
  async kill(member: Member): Promise<void> {
    this.noteBrowsers();
    member.kill('SIGKILL');
    await member.ended();
  }

  /** Notes which browsers belong to which worker, which cannot be seen once a worker is dead. */
  noteBrowsers(): void {
    for (const { pid, browsers } of this.workers) for (const group of browserGroups(pid)) browsers.add(group);
  }

  /** Submits a job whose end is announced to the receiver; returns its id. */
  async submit(options: Json, client = this.client): Promise<string> {
    const response = await client.send('POST', '/v1/jobs', {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ webhook_url: this.receiver.url, ...options }),
    });
    const body = await json(response);
    if (response.status !== 202) throw new Error(`Not accepted: ${JSON.stringify(body)}`);
    this.accepted.add(String(body.id));
    return String(body.id);
  }

  /** The last output of each process. */
  logs(): string {
    return this.members
      .map((member) => `--- ${member.name} ${member.pid}\n${member.log().slice(-LOG_CHARACTERS)}`)
      .join('\n');
  }

  async close(): Promise<void> {
    await using _ = this.cleanUp;
    for (const member of this.members) if (member.isRunning()) member.kill('SIGCONT');
    await Promise.all([...this.apis, ...this.workers].map((member) => member.stop()));
  }

  /** Runs a script of this checkout, or of another one, as an operator would; returns its output. */
  async script(file: string, words: readonly string[] = [], checkout = '.'): Promise<string> {
    const env = { ...process.env, ...this.env };
    return (await promisify(execFile)(process.execPath, [file, ...words], { env, cwd: checkout })).stdout;
  }
}

function missing(wanted: number, running: readonly Member[]): undefined[] {
  return Array.from({ length: Math.max(0, wanted - running.length) });
}
