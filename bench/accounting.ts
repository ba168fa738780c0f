/**
 * `npm run bench -- accounting`: what the accounting (allowance and its thresholds, slots, ledger) adds to the acceptance
 * and to the end of a capture, and how many jobs per second one busy account gets accepted over HTTP.
 *
 * It makes the same calls of libs/jobs on the same database, one after the other, as they are and with a UsageService that
 * counts nothing. The two alternate at every call, so that other load of the machine affects both. The check of the request
 * rate comes before these calls and is timed by itself.
 */
import os from 'node:os';
import { parseArgs } from 'node:util';
import type { INestApplicationContext } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { parseOptions } from '@app/capture';
import { ConfigModule, loadEnv } from '@app/config';
import { DatabaseModule } from '@app/database';
import { AttemptsService, JobRunningModule, JobsModule, JobsService, type Job } from '@app/jobs';
import { RatesModule, RatesService, UsageModule, UsageService } from '@app/usage';
import { startApps } from '../test/support/apps.js';
import { SUCCESS } from '../test/support/jobs.js';
import { BODY, Callers, openAccounts, perSecond } from './load.js';
import { percentile } from './round.js';

const CONNECTIONS = 16;

/** Permits everything and records nothing. */
const UNCOUNTED: Partial<UsageService> = {
  reserveWhatFits: (_, wanted) =>
    Promise.resolve(new Map([...wanted].map(([id, units]) => [id, { period: 'ever', units }]))),
  holdSlot: () => Promise.resolve(1),
  leaseSlots: () => Promise.resolve(),
  endReservation: () => Promise.resolve(),
};

/** Times in ms of the two contestants. */
class Pair {
  readonly with: number[] = [];
  readonly without: number[] = [];

  line(): string {
    const ms = (value: number): string => `${value.toFixed(2)} ms`;
    const [a, b] = [percentile(this.with, 0.5), percentile(this.without, 0.5)];
    const p95 = `${ms(percentile(this.with, 0.95))} and ${ms(percentile(this.without, 0.95))}`;
    return `p50 ${ms(a)}, without accounting ${ms(b)}: added ${ms(a - b)}; p95 ${p95}`;
  }
}

const { values } = parseArgs({
  options: {
    calls: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '3' },
  },
});

await using apps = await startApps();
// The bench measures acceptance; a worker would capture at the same time.
await apps.worker.stop();
const [account] = await openAccounts(apps.database.url, 1);
if (!account) throw new Error('There is no account');
const { id: accountId } = account;
console.log(
  `load of the machine before: ${os.loadavg()[0]?.toFixed(1)}, cores: ${os.availableParallelism()}`,
);
await compare();
await checkRates();
await measureHttp(account);

async function compare(): Promise<void> {
  const sides = { with: await openJobs(null), without: await openJobs(UNCOUNTED) };
  for (const source of ['job', 'sync'] as const) {
    const times = { accept: new Pair(), end: new Pair() };
    for (let i = -50; i < Number(values.calls); i++) {
      for (const side of ['with', 'without'] as const) {
        const app = sides[side];
        const begin = performance.now();
        const options = parseOptions(JSON.parse(BODY));
        const { job } = await app.get(JobsService).submit({ accountId, source, options });
        const accepted = performance.now();
        await end(app, job);
        if (i < 0) continue;
        times.accept[side].push(accepted - begin);
        times.end[side].push(performance.now() - accepted);
      }
    }
    const ending = source === 'sync' ? 'claim, succeed' : 'cancel';
    console.log(`${`accept a ${source}`.padEnd(16)}${times.accept.line()}`);
    console.log(`${ending.padEnd(16)}${times.end.line()}`);
  }
  for (const app of Object.values(sides)) await app.close();
}

/** A synchronous capture is in the queue at once and succeeds here; a job is not, and is canceled. */
async function end(app: INestApplicationContext, { id, source }: Job): Promise<void> {
  if (source !== 'sync') return void (await app.get(JobsService).cancel(accountId, id, 'client_request'));
  const attempts = app.get(AttemptsService);
  const job = await attempts.claim(id, 'bench');
  if (!job || !(await attempts.succeed(job, SUCCESS))) throw new Error('The capture did not succeed');
}

async function checkRates(): Promise<void> {
  const env = loadEnv({ ...apps.env, DATABASE_URL: apps.database.url });
  const imports = [ConfigModule.forEnvironment(env), DatabaseModule.connect('bench'), RatesModule];
  const app = await (await Test.createTestingModule({ imports }).compile()).init();
  const times: number[] = [];
  for (let i = -50; i < Number(values.calls); i++) {
    const begin = performance.now();
    await app.get(RatesService).check(accountId);
    if (i >= 0) times.push(performance.now() - begin);
  }
  await app.close();
  const ms = (share: number): string => `${percentile(times, share).toFixed(2)} ms`;
  console.log(`${'check the rate'.padEnd(16)}p50 ${ms(0.5)}, p95 ${ms(0.95)}`);
}

async function openJobs(usage: Partial<UsageService> | null): Promise<INestApplicationContext> {
  const env = loadEnv({ ...apps.env, DATABASE_URL: apps.database.url });
  const imports = [
    ConfigModule.forEnvironment(env),
    DatabaseModule.connect('bench'),
    JobRunningModule,
    JobsModule,
    UsageModule,
  ];
  const module = Test.createTestingModule({ imports });
  if (usage) module.overrideProvider(UsageService).useValue(usage);
  return (await module.compile()).init();
}

async function measureHttp(account: { readonly id: string; readonly key: string }): Promise<void> {
  const callers = new Callers(apps.url, CONNECTIONS);
  const rates: number[] = [];
  for (let i = -1; i < Number(values.rounds); i++) {
    const rate = await perSecond(CONNECTIONS, Number(values.seconds) * 1_000, async () => {
      await callers.submit(account);
    });
    if (i >= 0) rates.push(rate);
  }
  callers.close();
  console.log(
    `one busy account over HTTP, ${CONNECTIONS} connections: ${percentile(rates, 0.5).toFixed(0)} jobs/s`,
  );
}
