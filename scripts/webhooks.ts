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
  WebhookSecretsModule,
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

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 1_000;

const HELP = `Usage: npm run webhooks -- <command> [options]

  list              list deliveries, newest first
    --account NAME      only of this account
    --state STATE       only in this state: ${DELIVERY_STATES.join(', ')}
    --limit N           number of deliveries (default: ${DEFAULT_LIMIT})
  show <id>         show a delivery with its attempts and its body; takes a webhook id, or the id of a job or batch
  replay <id>       send a delivery again at once, under the same webhook id; its retry schedule restarts, and an endpoint
                    that answered 410 receives webhooks again
  replay --failed   send all failed deliveries again
    --account NAME      only of this account
    --since TIME        only those that failed since this time, such as 2026-11-20 or 2026-11-20T18:00:00Z
  secret            show the secret that signs the webhooks of an account
    --account NAME      (default: ${DEFAULT_ACCOUNT})
    --rotate            generate a new one; the previous one also signs for 24 hours

  --json            print JSON
`;

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

/** Returns what `npm run webhooks -- <args>` prints. */
export async function runWebhooks(args: string[]): Promise<string> {
  const { values, positionals } = readArguments(args);
  if (values.help || positionals.length === 0) return HELP;
  // Only this command needs the key that opens secrets.
  const modules = positionals[0] === 'secret' ? [WebhookSecretsModule] : [];
  const withServices = (work: (services: Services) => Promise<Output>) =>
    withModules(loadEnv(), [UsageModule, WebhooksModule, ...modules], (app) =>
      work({
        deliveries: app.get(DeliveryRepository),
        accounts: app.get(AccountsService),
        secrets: () => app.get(WebhookSecretsService),
      }),
    );
  return perform({ args, positionals, values, commands: COMMANDS, withServices });
}

const COMMANDS: Readonly<Record<string, Command<Services, Options>>> = {
  list: { words: 0, run: list },
  show: { words: 1, run: show },
  replay: { words: 1, run: replay },
  secret: { words: 0, run: secret },
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
    text:
      found.map((delivery) => deliveryLine(delivery, nameOf(delivery))).join('') ||
      'There are no deliveries.\n',
    json: found.map((delivery) => deliveryJson(delivery, nameOf(delivery))),
  };
}

async function show({ deliveries, accounts }: Services, _: Options, words: string[]): Promise<Output> {
  const delivery = await findDelivery(deliveries, words);
  const all = await accounts.list();
  const account = all.find(({ id }) => id === delivery.accountId)?.name ?? delivery.accountId;
  const json = { ...deliveryJson(delivery, account), log: delivery.log, body: delivery.body };
  return { text: deliveryText(delivery, account), json };
}

async function replay(services: Services, options: Options, words: string[]): Promise<Output> {
  if (options.failed) return replayFailed(services, options, words);
  if (options.since !== undefined || options.account !== undefined) {
    throw new UsageError('--since and --account require --failed');
  }
  const { id, url } = await findDelivery(services.deliveries, words);
  await services.deliveries.replay(id);
  return { text: `${id} will be sent again to ${url}\n`, json: { id, url, state: 'pending' } };
}

async function replayFailed(
  { deliveries, accounts }: Services,
  { account, since }: Options,
  words: string[],
): Promise<Output> {
  if (words.length > 0) throw new UsageError('Give either an id or --failed, not both');
  const accountId = account === undefined ? null : (await accountNamed(accounts, account)).id;
  const count = await deliveries.replayFailed(accountId, since === undefined ? null : timeOf(since));
  return {
    text: `${count} ${count === 1 ? 'delivery' : 'deliveries'} will be sent again.\n`,
    json: { count },
  };
}

const TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)?)?$/;

function timeOf(text: string): Date {
  // A time without a zone is UTC, like a date without a time.
  const isLocal = text.includes('T') && !/(Z|[+-]\d\d:\d\d)$/.test(text);
  const time = new Date(isLocal ? `${text}Z` : text);
  if (!TIME.test(text) || Number.isNaN(time.getTime())) {
    throw new UsageError('--since must be a date or time such as 2026-11-20 or 2026-11-20T18:00:00Z');
  }
  return time;
}

async function secret({ secrets, accounts }: Services, options: Options): Promise<Output> {
  const { id, name } = await accountNamed(accounts, options.account ?? DEFAULT_ACCOUNT);
  if (!options.rotate) {
    const current = await secrets().current(id);
    return { text: `${current}\n`, json: { account: name, secret: current } };
  }
  const rotated = await secrets().rotate(id);
  return {
    text: `${rotated}\n\nThe new secret of account "${name}". The previous one also signs for 24 hours.\n`,
    json: { account: name, secret: rotated },
  };
}

async function findDelivery(deliveries: DeliveryRepository, [word]: string[]): Promise<WebhookDelivery> {
  if (word === undefined) throw new UsageError('Give a webhook id, or the id of a job or batch');
  const id = word.toLowerCase();
  const delivery = isId(id) ? await deliveries.find(id) : null;
  if (!delivery) {
    throw new UsageError(
      `There is no webhook ${word.slice(0, 40)}, and no finished job or batch with this id that has one; ` +
        'npm run webhooks -- list shows all webhooks',
    );
  }
  return delivery;
}

if (isStarted(import.meta.url)) await start(runWebhooks);
