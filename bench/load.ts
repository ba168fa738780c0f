import { once } from 'node:events';
import http from 'node:http';
import { Test } from '@nestjs/testing';
import { ApiKeysService, AuthModule } from '@app/auth';
import { ConfigModule, loadEnv } from '@app/config';
import { DatabaseModule } from '@app/database';
import { AccountsService, UsageModule } from '@app/usage';

/** The options of the captures that a bench requests. */
export const BODY = JSON.stringify({ url: 'https://example.com/', format: 'png', full_page: true });

/** Requests per minute, and at once: more than a bench makes. */
const UNLIMITED = { rate: 10_000_000, burst: 1_000_000 };

export interface Account {
  readonly id: string;
  readonly key: string;
}

/** Creates accounts without effective limits. */
export async function openAccounts(url: string, count: number): Promise<Account[]> {
  const env = loadEnv({ DATABASE_URL: url });
  const imports = [
    ConfigModule.forEnvironment(env),
    DatabaseModule.connect('bench'),
    AuthModule,
    UsageModule,
  ];
  const app = await (await Test.createTestingModule({ imports }).compile()).init();
  try {
    const opened = Array.from({ length: count }, async (_, i) => {
      const name = `bench-${i}`;
      const limits = {
        allowance: 1_000_000_000,
        allowancePeriod: 'ever',
        concurrency: 10,
        ...UNLIMITED,
      } as const;
      const account = await app.get(AccountsService).create({ name, ...limits });
      if (!account) throw new Error(`The account ${name} exists already`);
      return { id: account.id, key: (await app.get(ApiKeysService).create(account.id, name)).key };
    });
    return await Promise.all(opened);
  } finally {
    await app.close();
  }
}

/** Runs the work by several clients at once, each of which continues when it has its answer; returns runs per second. */
export async function perSecond(
  clients: number,
  ms: number,
  work: (client: number) => Promise<void>,
): Promise<number> {
  let done = 0;
  const begin = performance.now();
  const client = async (_: unknown, number: number): Promise<void> => {
    for (; performance.now() - begin < ms; done++) await work(number);
  };
  await Promise.all(Array.from({ length: clients }, client));
  return done / ((performance.now() - begin) / 1_000);
}

/** Calls the API over connections that stay open. It does not use fetch, whose own cost would be measured as well. */
export class Callers {
  private readonly agent: http.Agent;

  constructor(
    private readonly url: string,
    connections: number,
  ) {
    this.agent = new http.Agent({ keepAlive: true, maxSockets: connections });
  }

  /** Submits a job; returns its path. */
  submit(account: Account): Promise<string> {
    return this.call('POST', '/v1/jobs', account);
  }

  async get(path: string, account: Account): Promise<void> {
    await this.call('GET', path, account);
  }

  close(): void {
    this.agent.destroy();
  }

  /** Resolves to `Location`. */
  private async call(method: string, path: string, { key }: Account): Promise<string> {
    const request = http.request(new URL(path, this.url), {
      method,
      agent: this.agent,
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
    });
    request.end(method === 'POST' ? BODY : undefined);
    const [response] = (await once(request, 'response')) as [http.IncomingMessage];
    response.resume();
    await once(response, 'end');
    if (response.statusCode !== (method === 'POST' ? 202 : 200)) throw new Error(`${response.statusCode}`);
    return response.headers.location ?? '';
  }
}
