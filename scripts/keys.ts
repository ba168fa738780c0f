import 'reflect-metadata';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { Module, type DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ApiKeysService, AuthModule, parseKey } from '@app/auth';
import { ConfigModule, InvalidEnvironmentError, loadEnv, type Env } from '@app/config';
import { DatabaseModule } from '@app/database';
import {
  ALLOWANCE_PERIODS,
  AccountsService,
  UsageModule,
  type Account,
  type AllowancePeriod,
} from '@app/usage';

const HELP = `Usage: npm run keys -- <command> [options]

  create            make a key; it is shown once
    --account NAME      account of the key (default: default); made when there is none of this name
    --name TEXT         what you call the key (default: the account's name)
    --allowance N       captures that a new account may make in a period (default: 10000)
    --period P          month or ever (default: month)
    --concurrency N     captures that a new account may have in progress (default: 10)
  list              show accounts and their keys, without secrets
  revoke <key id>   make a key stop working, within 5 seconds

  --json            print JSON
`;

const DEFAULT_ACCOUNT = 'default';
const DEFAULTS = { allowance: 10_000, allowancePeriod: 'month', concurrency: 10 } as const;

/** The operator asked for something that cannot be done; the message says what. */
class UsageError extends Error {
  override readonly name = 'UsageError';
}

@Module({})
class KeysModule {
  static of(env: Env): DynamicModule {
    return {
      module: KeysModule,
      imports: [ConfigModule.of(env), DatabaseModule.connect('capture-keys'), AuthModule, UsageModule],
    };
  }
}

interface Services {
  readonly keys: ApiKeysService;
  readonly accounts: AccountsService;
}

/**
 * Makes the account `default` with a key when there has never been a key; undefined when there has. The schema must
 * be up to date.
 */
export function ensureFirstKey({ databaseUrl }: { databaseUrl: string }): Promise<string | undefined> {
  return withServices(loadEnv({ DATABASE_URL: databaseUrl }), async ({ keys, accounts }) => {
    if (await keys.hasAny()) return undefined;
    const account = await findOrCreateAccount(accounts, {});
    const { key } = await keys.create(account.id, DEFAULT_ACCOUNT);
    return key;
  });
}

async function withServices<T>(env: Env, work: (services: Services) => Promise<T>): Promise<T> {
  const app = await NestFactory.createApplicationContext(KeysModule.of(env), {
    logger: false,
    abortOnError: false,
  });
  try {
    return await work({ keys: app.get(ApiKeysService), accounts: app.get(AccountsService) });
  } finally {
    await app.close();
  }
}

type Options = ReturnType<typeof readArguments>['values'];

function readArguments(args: string[]) {
  return parseArgs({
    args,
    allowPositionals: true,
    options: {
      account: { type: 'string' },
      name: { type: 'string' },
      allowance: { type: 'string' },
      period: { type: 'string' },
      concurrency: { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
}

async function run(args: string[]): Promise<string> {
  const { values, positionals } = readArguments(args);
  const [command, ...rest] = positionals;
  if (values.help || command === undefined) return HELP;
  const act = COMMANDS[command];
  if (!act || rest.length > (command === 'revoke' ? 1 : 0))
    throw new UsageError(`Unknown: ${args.join(' ')}`);
  const { text, json } = await withServices(loadEnv(), (services) => act(services, values, rest));
  return values.json ? `${JSON.stringify(json, null, 2)}\n` : text;
}

interface Output {
  readonly text: string;
  readonly json: unknown;
}

const COMMANDS: Readonly<
  Record<string, (services: Services, options: Options, rest: string[]) => Promise<Output>>
> = { create, list, revoke };

async function create({ keys, accounts }: Services, options: Options): Promise<Output> {
  const account = await findOrCreateAccount(accounts, options);
  const { id, key } = await keys.create(account.id, options.name ?? account.name);
  return {
    text: `${key}\n\nThe key of account "${account.name}". It is not shown again; revoke it with\n  npm run keys -- revoke ${id}\n`,
    json: { key, id, account: account.name, account_id: account.id },
  };
}

async function findOrCreateAccount(accounts: AccountsService, options: Partial<Options>): Promise<Account> {
  const name = options.account ?? DEFAULT_ACCOUNT;
  const limits = readLimits(options);
  const known = await accounts.findByName(name);
  if (known && Object.keys(limits).length > 0) {
    throw new UsageError(
      `The account "${name}" is there already; --allowance, --period and --concurrency are for a new one.`,
    );
  }
  const account =
    known ?? (await accounts.create({ name, ...DEFAULTS, ...limits })) ?? (await accounts.findByName(name));
  if (!account) throw new Error(`The account "${name}" could not be made`);
  return account;
}

function readLimits({ allowance, period, concurrency }: Partial<Options>) {
  return {
    ...(allowance !== undefined && { allowance: wholeNumber('--allowance', allowance, 0) }),
    ...(concurrency !== undefined && { concurrency: wholeNumber('--concurrency', concurrency, 1) }),
    ...(period !== undefined && { allowancePeriod: allowancePeriod(period) }),
  };
}

/** The largest integer that the database holds. */
const MAX = 2_147_483_647;

function wholeNumber(option: string, text: string, min: number): number {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : NaN;
  if (!(value >= min && value <= MAX))
    throw new UsageError(`${option} must be a whole number from ${min} to ${MAX}`);
  return value;
}

function allowancePeriod(text: string): AllowancePeriod {
  const period = ALLOWANCE_PERIODS.find((known) => known === text);
  if (!period) throw new UsageError(`--period must be one of ${ALLOWANCE_PERIODS.join(', ')}`);
  return period;
}

async function list({ keys, accounts }: Services): Promise<Output> {
  const [allAccounts, allKeys] = await Promise.all([accounts.list(), keys.list()]);
  const json = allAccounts.map((account) => ({
    account: account.name,
    account_id: account.id,
    allowance: account.allowance,
    period: account.allowancePeriod,
    concurrency: account.concurrency,
    keys: allKeys
      .filter(({ accountId }) => accountId === account.id)
      .map(({ id, name, createdAt, revokedAt }) => ({
        id,
        name,
        created_at: createdAt.toISOString(),
        revoked_at: revokedAt?.toISOString() ?? null,
      })),
  }));
  const text = json.map((account) => {
    const head = `${account.account}: ${account.allowance} captures ${account.period === 'month' ? 'a month' : 'in all'}, ${account.concurrency} at once`;
    const lines = account.keys.map(
      ({ id, name, created_at, revoked_at }) =>
        `  ${id}  ${revoked_at === null ? 'valid  ' : 'revoked'}  ${created_at.slice(0, 10)}  ${name}`,
    );
    return [head, ...(lines.length > 0 ? lines : ['  (no keys)'])].join('\n');
  });
  return {
    text: `${text.join('\n') || 'There are no accounts. Make a key: npm run keys -- create'}\n`,
    json,
  };
}

async function revoke({ keys }: Services, _: Options, [given]: string[]): Promise<Output> {
  if (given === undefined) throw new UsageError('Say which: npm run keys -- revoke <key id>');
  // Whoever has the whole key at hand may paste it.
  const key = await keys.revoke(parseKey(given)?.id ?? given);
  if (!key) throw new UsageError(`There is no key ${given.slice(0, 24)}; npm run keys -- list shows them`);
  return {
    text: `${key.id} is revoked and stops working within 5 seconds.\n`,
    json: { id: key.id, revoked_at: key.revokedAt?.toISOString() },
  };
}

async function main(args: string[]): Promise<void> {
  try {
    process.stdout.write(await run(args));
  } catch (error) {
    const isExpected =
      error instanceof UsageError || error instanceof InvalidEnvironmentError || isArgumentError(error);
    const text = error instanceof Error ? error.message : String(error);
    process.stderr.write(
      `${text}\n${isExpected ? '' : 'Is the service started, and DATABASE_URL the one it uses?\n'}`,
    );
    process.exitCode = 1;
  }
}

/** Of parseArgs: an option that there is not, or a value where none belongs. */
function isArgumentError(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && code.startsWith('ERR_PARSE_ARGS');
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await main(process.argv.slice(2));
}
