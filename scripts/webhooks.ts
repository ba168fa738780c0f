import 'reflect-metadata';
import { parseArgs } from 'node:util';
import { loadEnv } from '@app/config';
import { isId } from '@app/kernel';
import { AccountsService, UsageModule } from '@app/usage';
import {
  DELIVERY_STATES,
  DeliveryRepository,
  WebhooksModule,
  WebhookSecretsService,
  WebhookSendingModule,
  type WebhookDelivery,
} from '@app/webhooks';
import {
  accountNamed,
  COMMON_OPTIONS,
  DEFAULT_ACCOUNT,
  isStarted,
  oneOf,
  perform,
  start,
  UsageError,
  wholeNumber,
  withModules,
  type Command,
  type Output,
} from './cli/command.js';
import { deliveryJson, deliveryLine, deliveryText } from './cli/delivery-text.js';

const HELP = `Usage: npm run webhooks -- <command> [options]

  list              show deliveries, the newest first
    --account NAME      of this account only
    --state STATE       ${DELIVERY_STATES.join(', ')}
    --limit N           how many (default: 20)
  show <id>         show a delivery, its tries and its body; by its webhook id, or the id of its job or batch
  replay <id>       send it again, at once and under the same webhook id; the schedule of its tries begins anew, and an
                    endpoint that answered 410 is taken for alive again
  replay --failed   send all again whose tries were used up
    --account NAME      of this account only
    --since TIME        that failed since then, such as 2026-11-20 or 2026-11-20T18:00:00Z
  secret            show the secret that the webhooks of an account are signed with
    --account NAME      (default: ${DEFAULT_ACCOUNT})
    --rotate            make a new one; the one until now signs beside it for 24 hours

  --json            print JSON
`;

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 1_000;

interface Services {
  readonly deliveries: DeliveryRepository;
  readonly accounts: AccountsService;
  readonly secrets: () => WebhookSecretsService;
}

type Options = ReturnType<typeof readArguments>['values'];

function readArguments(args: string[]) {
  return parseArgs({
    args,
    allowPositionals: true,
    options: {
      ...COMMON_OPTIONS,
      state: { type: 'string' },
      limit: { type: 'string' },
      failed: { type: 'boolean', default: false },
      since: { type: 'string' },
      rotate: { type: 'boolean', default: false },
    },
  });
}

/** What `npm run webhooks -- <args>` prints. */
export async function runWebhooks(args: string[]): Promise<string> {
  const { values, positionals } = readArguments(args);
  if (values.help || positionals.length === 0) return HELP;
  // The others do without the key that the secrets are sealed with.
  const modules = positionals[0] === 'secret' ? [WebhookSendingModule] : [];
  const using = (work: (services: Services) => Promise<Output>) =>
    withModules(loadEnv(), [UsageModule, WebhooksModule, ...modules], (app) =>
      work({
        deliveries: app.get(DeliveryRepository),
        accounts: app.get(AccountsService),
        secrets: () => app.get(WebhookSecretsService),
      }),
    );
  return perform({ args, positionals, values, commands: COMMANDS, using });
}

const COMMANDS: Readonly<Record<string, Command<Services, Options>>> = {
  list: { words: 0, act: list },
  show: { words: 1, act: show },
  replay: { words: 1, act: replay },
  secret: { words: 0, act: secret },
};

async function list({ deliveries, accounts }: Services, options: Options): Promise<Output> {
  const { account, state, limit } = options;
  const found = await deliveries.list({
    limit: limit === undefined ? DEFAULT_LIMIT : wholeNumber('--limit', limit, { min: 1, max: MAX_LIMIT }),
    ...(state !== undefined && { state: oneOf('--state', state, DELIVERY_STATES) }),
    ...(account !== undefined && { accountId: (await accountNamed(accounts, account)).id }),
  });
  const names = new Map((await accounts.list()).map(({ id, name }) => [id, name]));
  const nameOf = ({ accountId }: WebhookDelivery) => names.get(accountId) ?? accountId;
  return {
    text: found.map((delivery) => deliveryLine(delivery, nameOf(delivery))).join('') || 'There are none.\n',
    json: found.map((delivery) => deliveryJson(delivery, nameOf(delivery))),
  };
}

async function show({ deliveries, accounts }: Services, _: Options, words: string[]): Promise<Output> {
  const delivery = await deliveryOf(deliveries, words);
  const all = await accounts.list();
  const account = all.find(({ id }) => id === delivery.accountId)?.name ?? delivery.accountId;
  const json = { ...deliveryJson(delivery, account), log: delivery.log, body: delivery.body };
  return { text: deliveryText(delivery, account), json };
}

async function replay(services: Services, options: Options, words: string[]): Promise<Output> {
  if (options.failed) return replayFailed(services, options, words);
  if (options.since !== undefined || options.account !== undefined) {
    throw new UsageError('--since and --account go with --failed');
  }
  const { id, url } = await deliveryOf(services.deliveries, words);
  await services.deliveries.replay(id);
  return { text: `${id} is sent again to ${url}\n`, json: { id, url, state: 'pending' } };
}

async function replayFailed(
  { deliveries, accounts }: Services,
  { account, since }: Options,
  words: string[],
): Promise<Output> {
  if (words.length > 0) throw new UsageError('Either an id or --failed, not both');
  const accountId = account === undefined ? null : (await accountNamed(accounts, account)).id;
  const count = await deliveries.replayFailed(accountId, since === undefined ? null : timeOf(since));
  return {
    text: `${count} ${count === 1 ? 'delivery is' : 'deliveries are'} sent again.\n`,
    json: { count },
  };
}

const TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)?)?$/;

function timeOf(text: string): Date {
  // A time without a zone is UTC, as a date without a time already is.
  const isLocal = text.includes('T') && !/(Z|[+-]\d\d:\d\d)$/.test(text);
  const time = new Date(isLocal ? `${text}Z` : text);
  if (!TIME.test(text) || Number.isNaN(time.getTime())) {
    throw new UsageError('--since must be a date or a time such as 2026-11-20 or 2026-11-20T18:00:00Z');
  }
  return time;
}

async function secret({ secrets, accounts }: Services, options: Options): Promise<Output> {
  const { id, name } = await accountNamed(accounts, options.account ?? DEFAULT_ACCOUNT);
  if (!options.rotate) {
    const current = await secrets().current(id);
    return { text: `${current}\n`, json: { account: name, secret: current } };
  }
  const made = await secrets().rotate(id);
  return {
    text: `${made}\n\nThe new secret of account "${name}". The one until now signs beside it for 24 hours.\n`,
    json: { account: name, secret: made },
  };
}

async function deliveryOf(deliveries: DeliveryRepository, [given]: string[]): Promise<WebhookDelivery> {
  if (given === undefined) throw new UsageError('Say which: a webhook id, or the id of a job or batch');
  const id = given.toLowerCase();
  const delivery = isId(id) ? await deliveries.find(id) : null;
  if (!delivery) {
    throw new UsageError(
      `There is no webhook ${given.slice(0, 40)}, and no job or batch of this id that ended and asked for one; ` +
        'npm run webhooks -- list shows them',
    );
  }
  return delivery;
}

if (isStarted(import.meta.url)) await start(runWebhooks);
