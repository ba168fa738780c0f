import { ApiKeysService, AuthModule } from '@app/auth';
import { AccountsService, UsageModule, type NewAccount } from '@app/usage';
import { startApps } from '../support/apps.js';
import { startFixtureSite, type FixtureSite } from '../support/fixture-site.js';
import { freePort } from '../support/free-port.js';
import { startModules } from '../support/modules.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

/** The limits of an account that a scenario may set. */
export const LIMITS = ['allowance', 'concurrency', 'rate', 'burst'] as const;
export type LimitName = (typeof LIMITS)[number];
export type Limits = Partial<Pick<NewAccount, LimitName>>;

/** The service of all scenarios: an API and a worker as processes, our site, and a receiver of webhooks. */
export interface Service {
  readonly url: string;
  /** Where the worker serves its metrics. */
  readonly workerMetrics: string;
  readonly site: FixtureSite;
  readonly receiver: WebhookReceiver;
  /** Creates an account, as the operator does by `npm run keys`; returns its API key. */
  createAccount(limits: Limits): Promise<string>;
  stop(): Promise<void>;
}

/** No scenario reaches these limits by accident. */
const AMPLE = { allowance: 1_000, concurrency: 10, rate: 1_000_000, burst: 1_000_000 } as const;

export async function startService(): Promise<Service> {
  await using cleanUp = new AsyncDisposableStack();
  const site = cleanUp.use(await startFixtureSite());
  const receiver = new WebhookReceiver();
  await receiver.open();
  cleanUp.defer(() => receiver.close());
  const metricsPort = await freePort();
  const apps = cleanUp.use(
    await startApps({
      // Only these two servers of this machine are open to captures and webhooks.
      EGRESS_ALLOW: `127.0.0.1:${site.port},127.0.0.1:${receiver.port}`,
      WEBHOOK_HTTP: 'true',
      WORKER_SLOTS: '2',
      WORKER_METRICS_PORT: String(metricsPort),
    }),
  );
  const operator = await startModules({ database: apps.database, imports: [AuthModule, UsageModule] });
  cleanUp.defer(() => operator.close());
  const started = cleanUp.move();
  return {
    url: apps.url,
    workerMetrics: `http://127.0.0.1:${metricsPort}`,
    site,
    receiver,
    createAccount: async (limits) => {
      const name = `account-${crypto.randomUUID()}`;
      const settings = { ...AMPLE, ...limits, name, allowancePeriod: 'month' as const };
      const account = await operator.app.get(AccountsService).create(settings);
      if (!account) throw new Error(`The account ${name} is there already`);
      return (await operator.app.get(ApiKeysService).create(account.id, name)).key;
    },
    stop: () => started.disposeAsync(),
  };
}
