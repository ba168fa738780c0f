import 'reflect-metadata';
import { parseArgs } from 'node:util';
import { ApiKeysService, AuthModule, parseKey } from '@app/auth';
import { loadEnv, type Env } from '@app/config';
import { AccountsService, DEFAULT_RATE, UsageModule, UsageService, type Account } from '@app/usage';
import { readName, readSettings, SETTING_NAMES, SETTING_OPTIONS } from './cli/account-settings.js';
import { accountJson, accountText, changeText, consequences, settingsOf } from './cli/account-text.js';
import {
  accountNamed,
  COMMON_OPTIONS,
  DEFAULT_ACCOUNT,
  isStarted,
  perform,
  start,
  UsageError,
  withModules,
  type Command,
  type Output,
} from './cli/command.js';

const DEFAULTS = { allowance: 10_000, allowancePeriod: 'month', concurrency: 10 } as const;

const HELP = `Usage: npm run keys -- <command> [options]

  create            make a key; it is shown once. An account may have several
    --account NAME      account of the key (default: ${DEFAULT_ACCOUNT}); made when there is none of this name
    --name TEXT         what you call the key (default: the account's name)
    and for a new account what "set" changes
  list              show accounts, what they used, and their keys, without secrets
  revoke <key id>   make a key stop working, within 5 seconds
  set               change an account, for all of its keys, within 5 seconds
    --account NAME      which
    --allowance N       captures that it may make in a period (new: ${DEFAULTS.allowance})
    --period P          month (the calendar month, UTC) or ever (new: ${DEFAULTS.allowancePeriod})
    --concurrency N     captures that it may have in progress (new: ${DEFAULTS.concurrency})
    --rate N            requests that it may make a minute (new: ${DEFAULT_RATE.rate})
    --burst N           requests that it may make at once before the rate holds them up (new: ${DEFAULT_RATE.burst})
    --webhook-url URL   where it is told of itself, of its usage for one; or none (new: none)

  --json            print JSON
`;

interface Services {
  readonly keys: ApiKeysService;
  readonly accounts: AccountsService;
  readonly usage: UsageService;
  readonly env: Env;
}

/**
 * Makes the account `default` with a key when there has never been a key; undefined when there has. The schema must
 * be up to date.
 */
export function ensureFirstKey({ databaseUrl }: { databaseUrl: string }): Promise<string | undefined> {
  return withServices(loadEnv({ DATABASE_URL: databaseUrl }), async (services) => {
    if (await services.keys.hasAny()) return undefined;
    const account = await findOrCreateAccount(services, {});
    const { key } = await services.keys.create(account.id, DEFAULT_ACCOUNT);
    return key;
  });
}

function withServices<T>(env: Env, work: (services: Services) => Promise<T>): Promise<T> {
  return withModules(env, [AuthModule, UsageModule], (app) =>
    work({
      keys: app.get(ApiKeysService),
      accounts: app.get(AccountsService),
      usage: app.get(UsageService),
      env,
    }),
  );
}

type Options = ReturnType<typeof readArguments>['values'];

function readArguments(args: string[]) {
  return parseArgs({
    args,
    allowPositionals: true,
    options: { ...COMMON_OPTIONS, ...SETTING_OPTIONS, name: { type: 'string' } },
  });
}

/** What `npm run keys -- <args>` prints. */
export async function runKeys(args: string[]): Promise<string> {
  const { values, positionals } = readArguments(args);
  if (values.help || positionals.length === 0) return HELP;
  const using = (work: (services: Services) => Promise<Output>) => withServices(loadEnv(), work);
  return perform({ args, positionals, values, commands: COMMANDS, using });
}

const COMMANDS: Readonly<Record<string, Command<Services, Options>>> = {
  create: { words: 0, takes: ['account', 'name', ...SETTING_NAMES], act: create },
  list: { words: 0, takes: [], act: list },
  revoke: { words: 1, takes: [], act: revoke },
  set: { words: 0, takes: ['account', ...SETTING_NAMES], act: set },
};

async function create(services: Services, options: Options): Promise<Output> {
  const account = await findOrCreateAccount(services, options);
  const name = readName('--name', options.name ?? account.name);
  const { id, key } = await services.keys.create(account.id, name);
  const of = account.name === DEFAULT_ACCOUNT ? '' : ` --account "${account.name}"`;
  return {
    text:
      `${key}\n\nThe key of account "${account.name}". It is not shown again; revoke it with\n  npm run keys -- revoke ${id}\n` +
      `The secret that its webhooks are signed with:\n  npm run webhooks -- secret${of}\n`,
    json: { key, id, account: account.name, account_id: account.id },
  };
}

async function findOrCreateAccount({ accounts, env }: Services, options: Partial<Options>): Promise<Account> {
  const name = readName('--account', options.account ?? DEFAULT_ACCOUNT);
  const settings = readSettings(options, env.WEBHOOK_HTTP);
  const known = await accounts.findByName(name);
  if (known && Object.keys(settings).length > 0) {
    throw new UsageError(
      `The account "${name}" is there already. Change it with npm run keys -- set --account "${name}", ` +
        'and leave its settings out to make another key of it.',
    );
  }
  const account =
    known ?? (await accounts.create({ name, ...DEFAULTS, ...settings })) ?? (await accounts.findByName(name));
  if (!account) throw new Error(`The account "${name}" could not be made`);
  return account;
}

async function list({ keys, accounts, usage }: Services): Promise<Output> {
  const [allAccounts, allKeys] = await Promise.all([accounts.list(), keys.list()]);
  const json = [];
  for (const account of allAccounts) {
    const own = allKeys.filter(({ accountId }) => accountId === account.id);
    json.push(accountJson(account, await usage.report(account.id), own));
  }
  const text =
    json.map(accountText).join('\n') || 'There are no accounts. Make a key: npm run keys -- create';
  return { text: `${text}\n`, json };
}

async function revoke({ keys, accounts }: Services, _: Options, [given]: string[]): Promise<Output> {
  if (given === undefined) throw new UsageError('Say which: npm run keys -- revoke <key id>');
  // Whoever has the whole key at hand may paste it.
  const key = await keys.revoke(parseKey(given)?.id ?? given);
  if (!key) throw new UsageError(`There is no key ${given.slice(0, 24)}; npm run keys -- list shows them`);
  const all = await keys.list();
  const left = all.filter(
    ({ accountId, revokedAt }) => accountId === key.accountId && revokedAt === null,
  ).length;
  const account = (await accounts.list()).find(({ id }) => id === key.accountId)?.name ?? key.accountId;
  const last = `The account has no valid key left. Make one: npm run keys -- create --account "${account}"\n`;
  return {
    text: `${key.id} of account "${account}" is revoked and stops working within 5 seconds.\n${left > 0 ? '' : last}`,
    json: {
      id: key.id,
      account,
      account_id: key.accountId,
      revoked_at: key.revokedAt?.toISOString(),
      valid_keys_left: left,
    },
  };
}

async function set({ accounts, usage, env }: Services, options: Options): Promise<Output> {
  // Not the default account when none is named: a change that was meant for another shows when it hurts.
  if (options.account === undefined) throw new UsageError('Say which account: --account NAME');
  const settings = readSettings(options, env.WEBHOOK_HTTP);
  if (Object.keys(settings).length === 0) {
    throw new UsageError(`Say what to change: ${SETTING_NAMES.map((name) => `--${name}`).join(', ')}`);
  }
  const { id, name } = await accountNamed(accounts, options.account);
  const change = await accounts.change(id, settings);
  const report = await usage.report(id);
  const notes = consequences(change, report);
  return {
    text: `${[`Account "${name}", in force within 5 seconds:`, changeText(change), ...notes].join('\n')}\n`,
    json: {
      account: name,
      account_id: id,
      before: settingsOf(change.before),
      after: settingsOf(change.after),
      usage: report,
      notes,
    },
  };
}

if (isStarted(import.meta.url)) await start(runKeys);
