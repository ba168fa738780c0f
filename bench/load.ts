import { once } from 'node:events';
import http from 'node:http';
import { Test } from '@nestjs/testing';
import { ApiKeysService, AuthModule } from '@app/auth';
import { ConfigModule, loadEnv } from '@app/config';
import { DatabaseModule } from '@app/database';
import { AccountsService, UsageModule } from '@app/usage';

/** What callers of a bench ask for. */
export const BODY = JSON.stringify({ url: 'https://example.com/', format: 'png', full_page: true });

/** Requests a minute, and at once. */
const UNHURRIED = { rate: 10_000_000, burst: 1_000_000 };

export interface Account {
  readonly id: string;
  readonly key: string;
}

/** New accounts that nothing limits. */
export async function openAccounts(url: string, count: number): Promise<Account[]> {
  const env = loadEnv({ DATABASE_URL: url });
  const imports = [ConfigModule.of(env), DatabaseModule.connect('bench'), AuthModule, UsageModule];
  const app = await (await Test.createTestingModule({ imports }).compile()).init();
  try {
    const opened = Array.from({ length: count }, async (_, i) => {
      const name = `bench-${i}`;
      const limits = {
        allowance: 1_000_000_000,
        allowancePeriod: 'ever',
        concurrency: 10,
        ...UNHURRIED,
      } as const;
      const account = await app.get(AccountsService).create({ name, ...limits });
      if (!account) throw new Error(`The account ${name} is there already`);
      return { id: account.id, key: (await app.get(ApiKeysService).create(account.id, name)).key };
    });
    return await Promise.all(opened);
  } finally {
    await app.close();
  }
}

/** How often a second the work is done by so many clients, each of which goes on when it has its answer. */
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

/** Callers over connections that stay open; without fetch, whose own cost on the same machine would be measured, too. */
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

  /** Returns `Location`. */
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
