import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp } from '../support/app-process.js';
import { startApps } from '../support/apps.js';
import { Client, json, type Json } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { startFixtureSite, type FixtureSite } from '../support/fixture-site.js';
import { freePort } from '../support/free-port.js';
import { findSystemPostgres, SystemPostgres } from '../support/system-postgres.js';

type Variables = Readonly<Record<string, string>>;

/** What an account sees of its data. */
interface Seen {
  readonly usage: unknown;
  readonly records: unknown;
  readonly batches: unknown;
  readonly secret: unknown;
  readonly sha256: string;
}

const bin = findSystemPostgres();

// As docs/deploy.md tells: from the PostgreSQL of `npm start` to one of the operator's, and from its backup to another one.
(bin === undefined ? describe.skip : describe)('the data of npm start', () => {
  const cleanUp = new AsyncDisposableStack();
  let folder: string;
  let site: FixtureSite;
  let server: SystemPostgres;
  let env: Variables;
  let key: string;
  let before: Seen;
  let picture: string;
  let waiting: string;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'capture-moving-'));
    cleanUp.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
    site = await startFixtureSite();
    cleanUp.defer(() => site.close());
    server = cleanUp.use(await SystemPostgres.open(bin ?? '', path.join(folder, 'server')));
    const apps = cleanUp.use(
      await startApps({ EGRESS_ALLOW: `127.0.0.1:${site.port}`, FILES_DIR: path.join(folder, 'files') }),
    );
    ({ env, key } = apps);
    const client = new Client(apps);
    picture = String((await client.record({ url: `${site.url}/boxes.html` })).id);
    const items = [{ url: `${site.url}/text.html` }, { url: `${site.url}/nowhere`, fail_on_status: ['404'] }];
    const { id: batch } = await json(client.post('/v1/bulk/json', { items }));
    await eventually(
      'the batch has ended',
      async () => (await json(client.get(`/v1/bulk/${String(batch)}`))).status === 'completed',
      60_000,
    );
    await apps.worker.stop();
    waiting = String((await json(client.submit({ url: `${site.url}/tall.html` }))).id);
    before = await look(client, picture);
    await apps.api.stop();
    await exportTo(await server.createDatabase('moved'), path.join(folder, 'moved'));
    await server.createDatabase('restored');
    const dump = path.join(folder, 'capture.dump');
    await server.tool('pg_dump', ['--format=custom', `--file=${dump}`, server.urlOf('moved')]);
    await server.tool('pg_restore', [`--dbname=${server.urlOf('restored')}`, dump]);
    await cp(path.join(folder, 'moved'), path.join(folder, 'restored'), { recursive: true });
  }, 180_000);

  afterAll(() => cleanUp.disposeAsync(), 60_000);

  async function exportTo(url: string, files: string): Promise<void> {
    const words = ['scripts/export-data.mjs', '--to', url, '--files', files];
    await promisify(execFile)(process.execPath, words, { env: { ...process.env, ...env } });
  }

  it.each([
    ['goes to a server of its own by npm run export', 'moved'],
    ['is restored from pg_dump and a copy of the files', 'restored'],
  ])(
    '%s: nothing is missing, and what waited runs',
    async (_, name) => {
      const [port, workerPort] = [await freePort(), await freePort()];
      const settings = {
        ...env,
        DATABASE_URL: server.urlOf(name),
        FILES_DIR: path.join(folder, name),
        PORT: String(port),
        WORKER_PORT: String(workerPort),
      };
      await using running = new AsyncDisposableStack();
      const api = startApp({ name: 'api', port, env: settings });
      running.defer(() => api.stop());
      await api.ready();
      const client = new Client({ url: api.url, key });
      expect(await look(client, picture)).toEqual(before);
      const worker = startApp({ name: 'worker', port: workerPort, env: settings });
      running.defer(() => worker.stop());
      await eventually(
        'the job that waited has run',
        async () => (await json(client.get(`/v1/jobs/${waiting}`))).status === 'succeeded',
        60_000,
      );
      expect((await client.get(`/v1/captures/${waiting}/result`)).status).toBe(200);
    },
    120_000,
  );
});

async function look(client: Client, picture: string): Promise<Seen> {
  const read = async (address: string): Promise<Json> => json(client.get(address));
  const file = await client.get(`/v1/captures/${picture}/result`);
  // `concurrency` tells of this moment.
  const { total, used, available } = await read('/v1/usage');
  return {
    usage: { total, used, available },
    records: (await read('/v1/captures')).data,
    batches: (await read('/v1/bulk')).data,
    secret: await read('/v1/webhooks/secret'),
    sha256: createHash('sha256')
      .update(new Uint8Array(await file.arrayBuffer()))
      .digest('hex'),
  };
}
