import 'reflect-metadata';
import { parseArgs } from 'node:util';
import { ApiKeysService, AuthModule, parseKey, SigningModule, SigningSecretsService } from '@app/auth';
import type { Type } from '@nestjs/common';
import { loadEnv, type Env } from '@app/config';
import {
  AccountsService,
  DEFAULT_RATE,
  NEW_ACCOUNT,
  UsageModule,
  UsageService,
  type Account,
  type AccountSettings,
} from '@app/usage';
import { readName, readSettings, SETTING_NAMES, SETTING_OPTIONS } from './cli/account-settings.js';
import { accountJson, accountText, changeText, consequences, settingsOf } from './cli/account-text.js';
import { LIMIT_NAMES, LIMIT_OPTIONS, readKeySettings } from './cli/key-limits.js';
import { keysText, MCP_NAMES, MCP_OPTIONS, readMcpUnsafe, setOfKey } from './cli/mcp-permission.js';
import { signing, SIGNING_NAMES, SIGNING_OPTIONS } from './cli/signing.js';
import {
  accountNamed,
  COMMON_OPTIONS,
  DEFAULT_ACCOUNT,
  isStarted,
  perform,
  start,
  UsageError,
  wholeNumber,
  withModules,
  type Command,
  type Output,
} from './cli/command.js';

const HELP = `Usage: npm run keys -- <command> [options]

  create            create a key; it is shown once. An account may have several
    --account NAME      account of the key (default: ${DEFAULT_ACCOUNT}); created if it does not exist
    --name TEXT         name of the key (default: the name of the account)
    --scopes LIST       what it may do: capture, read, links, admin (default: capture,read,links). A key with admin
                        manages accounts and keys by /v1/admin, and is made here only
    --expires-at TIME   when it stops working, such as 2027-06-30T00:00:00Z (default: never)
    --allowed-hosts L   hosts that it may capture, such as example.com,*.example.com (default: all)
    --allowed-ips LIST  CIDRs from which it may be used, such as 203.0.113.0/24 (default: all)
    the options of "set" are the settings of a new account
  list              list accounts with their usage and their keys, without secrets
  revoke <key id>   revoke a key; it stops working within 5 seconds
  rotate <key id>   give a key another secret, which is shown once; links, limits and log-ins stay
    --overlap S         seconds for which the secret before still works (default: 86400)
  set               change the settings of an account, for all of its keys, within 5 seconds
    --account NAME      account to change
    --allowance N       captures per period (new account: ${NEW_ACCOUNT.allowance})
    --period P          month (calendar month, UTC) or ever (new account: ${NEW_ACCOUNT.allowancePeriod})
    --concurrency N     captures in progress at once (new account: ${NEW_ACCOUNT.concurrency})
    --rate N            requests per minute (new account: ${DEFAULT_RATE.rate})
    --burst N           requests at once before the rate limit applies (new account: ${DEFAULT_RATE.burst})
    --webhook-url URL   receives events about the account, such as its usage; or none (new account: none)
    --mcp-unsafe        the tools of POST /mcp accept options that run code or carry secrets, with all keys that
                        the account has now; or with one key: set --key <key id> --mcp-unsafe
    --no-mcp-unsafe     they refuse these options (the default)
  signing <key id>  show the secret that signs links of a key; it is created when it is first needed
    --rotate            create a new secret; links of the previous one stay valid
    --retire            end the previous secret: its links stop working within 5 seconds. With --rotate,
                        only the new secret is valid, as after a leak
    --allow-no-expiry   links of the key need not state when they expire
    --require-expiry    each link must state when it expires, at most ten years ahead (the default)

  --json            print JSON
`;

interface Services {
  readonly keys: ApiKeysService;
  readonly accounts: AccountsService;
  readonly usage: UsageService;
  /** Only for the command that needs the key that opens secrets. */
  readonly signing: () => SigningSecretsService;
  readonly env: Env;
}

/**
 * Creates the account `default` and a key if there has never been a key. Returns the key; undefined if there has been one.
 * The schema must be up to date.
 */
export function ensureFirstKey({ databaseUrl }: { databaseUrl: string }): Promise<string | undefined> {
  return withServices(loadEnv({ DATABASE_URL: databaseUrl }), async (services) => {
    if (await services.keys.hasAny()) return undefined;
    const account = await findOrCreateAccount(services, {});
    const { key } = await services.keys.create(account.id, DEFAULT_ACCOUNT);
    return key;
  });
}

function withServices<T>(
  env: Env,
  work: (services: Services) => Promise<T>,
  modules: readonly Type[] = [],
): Promise<T> {
  return withModules(env, [AuthModule, UsageModule, ...modules], (app) =>
    work({
      keys: app.get(ApiKeysService),
      accounts: app.get(AccountsService),
      usage: app.get(UsageService),
      signing: () => app.get(SigningSecretsService),
      env,
    }),
  );
}

type Options = ReturnType<typeof readArguments>['values'];

function readArguments(args: string[]) {
  return parseArgs({
    args,
    allowPositionals: true,
    options: {
      ...COMMON_OPTIONS,
      ...SETTING_OPTIONS,
      ...SIGNING_OPTIONS,
      ...MCP_OPTIONS,
      ...LIMIT_OPTIONS,
      name: { type: 'string' },
      key: { type: 'string' },
      overlap: { type: 'string' },
    },
  });
}

/** Returns what `npm run keys -- <args>` prints. */
export async function runKeys(args: string[]): Promise<string> {
  const { values, positionals } = readArguments(args);
  if (values.help || positionals.length === 0) return HELP;
  return perform({
    args,
    positionals,
    values,
    commands: COMMANDS,
    // Only this command needs SECRETS_KEY.
    withServices: (work) =>
      withServices(loadEnv(), work, positionals[0] === 'signing' ? [SigningModule] : []),
  });
}

const COMMANDS: Readonly<Record<string, Command<Services, Options>>> = {
  create: { words: 0, options: ['account', 'name', ...LIMIT_NAMES, ...SETTING_NAMES], run: create },
  list: { words: 0, options: [], run: list },
  revoke: { words: 1, options: [], run: revoke },
  rotate: { words: 1, options: ['overlap'], run: rotate },
  signing: { words: 1, options: SIGNING_NAMES, run: signing },
  set: { words: 0, options: ['account', 'key', ...SETTING_NAMES, ...MCP_NAMES], run: set },
};

async function create(services: Services, options: Options): Promise<Output> {
  const account = await findOrCreateAccount(services, options);
  const name = readName('--name', options.name ?? account.name);
  if (account.deletingAt !== null) throw new UsageError(`The account "${account.name}" is being deleted`);
  const { id, key } = await services.keys.create(account.id, name, readKeySettings(options));
  const option = account.name === DEFAULT_ACCOUNT ? '' : ` --account "${account.name}"`;
  return {
    text:
      `${key}\n\nThe key of account "${account.name}". It is not shown again; revoke it with\n  npm run keys -- revoke ${id}\n` +
      `Show the secret that signs its webhooks with\n  npm run webhooks -- secret${option}\n`,
    json: { key, id, account: account.name, account_id: account.id },
  };
}

async function findOrCreateAccount({ accounts, env }: Services, options: Partial<Options>): Promise<Account> {
  const name = readName('--account', options.account ?? DEFAULT_ACCOUNT);
  const settings = readSettings(options, env.WEBHOOK_HTTP);
  const existing = await accounts.findByName(name);
  if (existing && Object.keys(settings).length > 0) {
    throw new UsageError(
      `The account "${name}" already exists. Change it with npm run keys -- set --account "${name}", ` +
        'or omit the settings to create another key of it.',
    );
  }
  const account =
    existing ??
    (await accounts.create({ name, ...NEW_ACCOUNT, ...settings })) ??
    (await accounts.findByName(name));
  if (!account) throw new Error(`The account "${name}" could not be created`);
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
    json.map(accountText).join('\n') || 'There are no accounts. Create a key: npm run keys -- create';
  return { text: `${text}\n`, json };
}

async function revoke({ keys, accounts }: Services, _: Options, [word]: string[]): Promise<Output> {
  if (word === undefined) throw new UsageError('Give the id of the key: npm run keys -- revoke <key id>');
  // The whole key is accepted, too.
  const key = await keys.revoke(parseKey(word)?.id ?? word);
  if (!key) throw new UsageError(`There is no key ${word.slice(0, 24)}; npm run keys -- list shows all keys`);
  const all = await keys.list();
  const left = all.filter(
    ({ accountId, revokedAt }) => accountId === key.accountId && revokedAt === null,
  ).length;
  const account = (await accounts.list()).find(({ id }) => id === key.accountId)?.name ?? key.accountId;
  const last = `The account has no valid key left. Create one: npm run keys -- create --account "${account}"\n`;
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

/** Gives a key another secret. */
async function rotate({ keys }: Services, { overlap = '86400' }: Options, [word]: string[]): Promise<Output> {
  if (word === undefined) throw new UsageError('Give the id of the key: npm run keys -- rotate <key id>');
  const id = parseKey(word)?.id ?? word;
  const overlapS = wholeNumber('--overlap', overlap, { min: 0, max: 30 * 86_400 });
  const rotated = await keys.rotate(id, overlapS);
  if (!rotated) {
    throw new UsageError(`There is no valid key ${id.slice(0, 24)}; npm run keys -- list shows all keys`);
  }
  const end = overlapS === 0 ? 'no more' : `for ${overlapS} s longer`;
  return {
    text: `${rotated.key}\n\nIt is not shown again. The secret before works ${end}; all processes know it within 5 seconds.\n`,
    json: { key: rotated.key, id, overlap_s: overlapS },
  };
}

async function set(services: Services, options: Options): Promise<Output> {
  const mcpUnsafe = readMcpUnsafe(options);
  const settings = readSettings(options, services.env.WEBHOOK_HTTP);
  const changesAccount = Object.keys(settings).length > 0;
  if (options.key !== undefined) {
    if (mcpUnsafe === undefined || changesAccount || options.account !== undefined) {
      throw new UsageError('For one key give --mcp-unsafe or --no-mcp-unsafe, and nothing else');
    }
    return setOfKey(services.keys, options.key, mcpUnsafe);
  }
  // There is no default: a change of the wrong account would be noticed late.
  if (options.account === undefined) throw new UsageError('Name the account: --account NAME');
  if (!changesAccount && mcpUnsafe === undefined) {
    const names = [...SETTING_NAMES, ...MCP_NAMES];
    throw new UsageError(`Give the settings to change: ${names.map((name) => `--${name}`).join(', ')}`);
  }
  return setOfAccount(services, options.account, { settings, mcpUnsafe });
}

interface AccountSetting {
  readonly settings: Partial<AccountSettings>;
  readonly mcpUnsafe: boolean | undefined;
}

async function setOfAccount(
  { accounts, usage, keys }: Services,
  account: string,
  { settings, mcpUnsafe }: AccountSetting,
): Promise<Output> {
  const { id, name } = await accountNamed(accounts, account);
  const change = await accounts.change(id, settings);
  const ids = mcpUnsafe === undefined ? [] : await keys.setMcpUnsafe({ accountId: id }, mcpUnsafe);
  const report = await usage.report(id);
  const notes = [
    ...consequences(change, report),
    ...(mcpUnsafe === undefined ? [] : [keysText(ids, mcpUnsafe)]),
  ];
  return {
    text: `${[`Account "${name}", effective within 5 seconds:`, changeText(change), ...notes].join('\n')}\n`,
    json: {
      account: name,
      account_id: id,
      before: settingsOf(change.before),
      after: settingsOf(change.after),
      ...(mcpUnsafe !== undefined && { mcp_unsafe: mcpUnsafe, keys: ids }),
      usage: report,
      notes,
    },
  };
}

if (isStarted(import.meta.url)) await start(runKeys);
