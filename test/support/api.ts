import { createHash } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { Test } from '@nestjs/testing';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { ApiKeysService, DEFAULT_SCOPES, type Scope } from '@app/auth';
import { FORMATS, NO_FACTS, type CaptureFacts, type Format, type Verdict } from '@app/capture';
import { AttemptsService, JobRunningModule, migrateQueue } from '@app/jobs';
import type { AppError } from '@app/kernel';
import { MemoryStorage, Storage } from '@app/storage';
import { AccountsService, RATE_STORE_TIMEOUT_MS, type Account } from '@app/usage';
import { API_DOCS } from '../../apps/api/src/api.docs.js';
import { ApiModule } from '../../apps/api/src/api.module.js';
import { serveConsole } from '../../apps/api/src/console/serve-console.js';
import { serveDocs } from '../../apps/api/src/openapi/serve-docs.js';
import { configureHttp } from '../../apps/api/src/http/configure-http.js';
import { Client } from './client.js';
import { createDatabase, type TestDatabase } from './database.js';
import { eventually } from './eventually.js';
import { SUCCESS } from './jobs.js';
import { testEnv, type ModulesToStart } from './modules.js';

/** The API on a real database and a real queue, with the test in the place of the worker. */
export interface TestApi {
  readonly app: NestExpressApplication;
  readonly url: string;
  readonly database: TestDatabase;
  readonly storage: MemoryStorage;
  /** A client with a key of a new account; the key has the scopes of any key, unless they are given. */
  client(limits?: AccountLimits, scopes?: readonly Scope[]): Promise<AccountClient>;
  /** Waits for a queued capture of one account, or of any, and claims it as a worker would. */
  claim(of?: { readonly accountId: string }): Promise<Claimed>;
  close(): Promise<void>;
}

type AccountClient = Client & { readonly accountId: string; readonly apiKey: string };

type AccountLimits = Partial<Pick<Account, 'allowance' | 'concurrency' | 'rate' | 'burst'>>;

/** A file that the test made in the place of a worker. */
export interface MadeFile {
  readonly name: string;
  readonly format: Format;
  readonly bytes: Buffer;
}

/** A capture that the test has claimed in the place of a worker. */
export interface Claimed {
  readonly id: string;
  /** The file is a PNG, with the name of the first output, unless all are listed; `facts` are those that differ from `SUCCESS`. */
  succeed(bytes?: Buffer | readonly MadeFile[], facts?: Partial<CaptureFacts>): Promise<void>;
  /** `verdict` is what the capture found out about its page. */
  fail(error: AppError, verdict?: Verdict): Promise<void>;
}

/**
 * @param settings variables of libs/config
 * @param beside another API, for a second process with its database and its store
 * @param replace pairs of an injection token and what takes its place, such as the clock
 */
export async function startApi(
  settings: Readonly<Record<string, string>> = {},
  beside?: Pick<TestApi, 'database' | 'storage'>,
  replace: NonNullable<ModulesToStart['replace']> = [],
): Promise<TestApi> {
  const database = beside?.database ?? (await createDatabase());
  const env = testEnv(database, {
    LOG_LEVEL: 'silent',
    METRICS_PORT: '0',
    SHUTDOWN_DELAY_MS: '0',
    SHUTDOWN_GRACE_MS: '0',
    // Tests send wrong keys and as many requests as they can; those of the limits set their own.
    AUTH_FAILURES_PER_MINUTE: String(UNLIMITED),
    ...settings,
  });
  await migrateQueue(env);
  const storage = beside?.storage ?? new MemoryStorage();
  // The API claims no jobs; the test does, in the place of the worker.
  const builder = Test.createTestingModule({ imports: [ApiModule.forEnvironment(env), JobRunningModule] })
    .overrideProvider(Storage)
    .useValue(storage)
    // On a busy machine the store may be slow, and a process that falls back to counting by itself lets more through.
    .overrideProvider(RATE_STORE_TIMEOUT_MS)
    .useValue(PATIENCE_MS);
  for (const [token, value] of replace) builder.overrideProvider(token).useValue(value);
  const module = await builder.compile();
  const app = module.createNestApplication<NestExpressApplication>({ bodyParser: false, logger: false });
  configureHttp(app);
  serveDocs(app, API_DOCS);
  serveConsole(app);
  await app.listen(0, '127.0.0.1');
  const { port } = app.getHttpServer().address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  return {
    app,
    url,
    database,
    storage,
    client: (limits, scopes = DEFAULT_SCOPES) => newClient(app, url, { ...limits, scopes }),
    claim: (of) => claim({ app, database, storage }, of?.accountId),
    close: async () => {
      await app.close();
      if (!beside) await database.drop();
    },
  };
}

const UNLIMITED = 1_000_000;
const PATIENCE_MS = 20_000;

let accounts = 0;

async function newClient(
  app: NestExpressApplication,
  url: string,
  {
    allowance = 1_000,
    concurrency = 50,
    rate = UNLIMITED,
    burst = UNLIMITED,
    scopes,
  }: AccountLimits & { readonly scopes: readonly Scope[] },
): Promise<AccountClient> {
  const name = `account-${++accounts}`;
  const account = await app
    .get(AccountsService, { strict: false })
    .create({ name, allowance, concurrency, rate, burst, allowancePeriod: 'month' });
  if (!account) throw new Error(`The account ${name} is there already`);
  const { key } = await app.get(ApiKeysService, { strict: false }).create(account.id, name, {
    scopes: [...scopes],
  });
  return Object.assign(new Client({ url, key }), { accountId: account.id, apiKey: key });
}

async function claim(
  { app, database, storage }: Pick<TestApi, 'app' | 'database' | 'storage'>,
  accountId: string | null = null,
): Promise<Claimed> {
  const attempts = app.get(AttemptsService, { strict: false });
  let id = '';
  await eventually('a capture is queued', async () => {
    const { rows } = await database.query<{ id: string }>(
      `SELECT id FROM jobs WHERE status = 'queued' AND ($1::uuid IS NULL OR account_id = $1)
        ORDER BY created_at LIMIT 1`,
      [accountId],
    );
    id = rows[0]?.id ?? '';
    return id !== '';
  });
  // The test also stands in for the dispatcher.
  await database.query(`UPDATE jobs SET dispatched_at = coalesce(dispatched_at, now()) WHERE id = $1`, [id]);
  const job = await attempts.claim(id, 'test');
  if (!job) throw new Error(`The capture ${id} could not be claimed`);
  const attempt = { id, attempt: job.attempt };
  return {
    id,
    succeed: async (made = Buffer.from('a picture'), facts = {}) => {
      const { outputs = [] } = job.options as { outputs?: readonly { readonly name: string }[] };
      const name = outputs[0]?.name ?? 'result';
      const all = Buffer.isBuffer(made) ? [{ name, format: 'png' as const, bytes: made }] : made;
      const [first, ...others] = await Promise.all(
        all.map(async ({ bytes, ...file }, i) => {
          const { contentType, extension } = FORMATS[file.format];
          const key = `captures/${id}/${job.attempt}${i > 0 ? `n${i + 1}` : ''}.${extension}`;
          await storage.put(key, bytes);
          const sha256 = createHash('sha256').update(bytes).digest('hex');
          return { ...SUCCESS.files[0], ...file, key, contentType, bytes: bytes.length, sha256 };
        }),
      );
      if (!first) throw new Error('A capture has a file');
      await attempts.succeed(attempt, {
        ...SUCCESS,
        facts: { ...SUCCESS.facts, ...facts },
        files: [first, ...others],
      });
    },
    fail: async (error, verdict) => {
      const known = verdict && { facts: { ...NO_FACTS, verdict }, timings: SUCCESS.timings };
      await attempts.fail(attempt, error, known);
    },
  };
}
