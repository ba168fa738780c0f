import { pathToFileURL } from 'node:url';
import { Module, type DynamicModule, type INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ConfigModule, type Env } from '@app/config';
import { DatabaseModule } from '@app/database';
import { AppError, StartupError } from '@app/kernel';
import type { Account, AccountsService } from '@app/usage';

/** The account that `npm start` creates, and the default of `--account`. */
export const DEFAULT_ACCOUNT = 'default';

/** The operator's input is invalid. The message is shown as it is. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The result of a command, for people and for programs. */
export interface Output {
  readonly text: string;
  readonly json: unknown;
}

/** A command of a script. */
export interface Command<Services, Options> {
  /** How many words may follow its name. */
  readonly words: number;
  /** The options that it accepts; all by default. */
  readonly options?: readonly (keyof Options)[];
  readonly run: (services: Services, options: Options, words: string[]) => Promise<Output>;
}

/** The options of every script, for parseArgs. */
export const COMMON_OPTIONS = {
  account: { type: 'string' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

interface Invocation<Services, Options> {
  readonly args: readonly string[];
  readonly positionals: readonly string[];
  readonly values: Options & { readonly json: boolean };
  readonly commands: Readonly<Record<string, Command<Services, Options>>>;
  readonly withServices: (work: (services: Services) => Promise<Output>) => Promise<Output>;
}

/** Runs the command that the arguments name. Returns what to print. */
export async function perform<Services, Options>(invocation: Invocation<Services, Options>): Promise<string> {
  const { args, positionals, values, commands, withServices } = invocation;
  const [name = '', ...words] = positionals;
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command || words.length > command.words) {
    throw new UsageError(`Unknown command: ${args.join(' ')} (--help lists the commands)`);
  }
  const accepted: readonly PropertyKey[] | undefined = command.options;
  const refused = ownOptions(values).find((option) => accepted && !accepted.includes(option));
  if (refused !== undefined)
    throw new UsageError(`${name} has no option --${String(refused)} (--help lists the options)`);
  const { text, json } = await withServices((services) => command.run(services, values, words));
  return values.json ? `${JSON.stringify(json, null, 2)}\n` : text;
}

/** The options that are set, except for those that every command accepts. */
function ownOptions<Options extends object>(values: Options): (keyof Options)[] {
  const names = Object.keys(values) as (keyof Options)[];
  return names.filter((name) => name !== 'json' && name !== 'help');
}

@Module({})
class ScriptModule {}

/** Starts these modules on the database of the environment for as long as `work` runs. */
export async function withModules<T>(
  env: Env,
  modules: NonNullable<DynamicModule['imports']>,
  work: (app: INestApplicationContext) => Promise<T>,
): Promise<T> {
  const imports = [ConfigModule.forEnvironment(env), DatabaseModule.connect('capture-script'), ...modules];
  const app = await NestFactory.createApplicationContext(
    { module: ScriptModule, imports },
    { logger: false, abortOnError: false },
  );
  try {
    return await work(app);
  } finally {
    await app.close();
  }
}

/** @throws UsageError if there is no account with this name */
export async function accountNamed(accounts: AccountsService, name: string): Promise<Account> {
  const account = await accounts.findByName(name);
  if (!account) {
    throw new UsageError(`There is no account "${name}"; npm run keys -- list shows all accounts`);
  }
  return account;
}

/** The maximum of a PostgreSQL integer. */
const MAX = 2_147_483_647;

export function wholeNumber(
  option: string,
  text: string,
  { min, max = MAX }: { min: number; max?: number },
): number {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : NaN;
  if (!(value >= min && value <= max))
    throw new UsageError(
      `${option} must be a whole number from ${min} to ${max}; it is ${JSON.stringify(text)}`,
    );
  return value;
}

export function oneOf<T extends string>(option: string, text: string, choices: readonly T[]): T {
  const choice = choices.find((known) => known === text);
  if (choice === undefined)
    throw new UsageError(`${option} must be one of ${choices.join(', ')}; it is ${JSON.stringify(text)}`);
  return choice;
}

/** Whether Node was started with the file of this URL, which otherwise is imported. */
export function isStarted(url: string): boolean {
  return process.argv[1] !== undefined && url === pathToFileURL(process.argv[1]).href;
}

/** Prints the result of the command, or its error. */
export async function start(run: (args: string[]) => Promise<string>): Promise<void> {
  const args = process.argv.slice(2);
  try {
    process.stdout.write(await run(args));
  } catch (error) {
    process.stderr.write(explain(error, args.includes('--json')));
    process.exitCode = 1;
  }
}

/** The message of an error, for people or for programs. */
export function explain(error: unknown, asJson: boolean): string {
  const isExpected =
    [AppError, StartupError, UsageError].some((type) => error instanceof type) || isArgumentError(error);
  const text = error instanceof Error ? error.message : String(error);
  if (asJson) return `${JSON.stringify({ error: text }, null, 2)}\n`;
  return `${text}\n${isExpected ? '' : 'Is the service running, and is DATABASE_URL the one it uses?\n'}`;
}

/** Whether parseArgs refused the arguments, such as an unknown option. */
function isArgumentError(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && code.startsWith('ERR_PARSE_ARGS');
}
