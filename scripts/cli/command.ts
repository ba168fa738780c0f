import { pathToFileURL } from 'node:url';
import { Module, type DynamicModule, type INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ConfigModule, type Env } from '@app/config';
import { DatabaseModule } from '@app/database';
import { StartupError } from '@app/kernel';
import type { Account, AccountsService } from '@app/usage';

/** The account that `npm start` makes, and that commands are about when they do not say. */
export const DEFAULT_ACCOUNT = 'default';

/** The operator asked for something that cannot be done; the message says what. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** What a command has to say, to people and to programs. */
export interface Output {
  readonly text: string;
  readonly json: unknown;
}

/** One command of a script: what it does, how many words may follow its name, and which options it takes if not all. */
export interface Command<Services, Options> {
  readonly words: number;
  readonly takes?: readonly (keyof Options)[];
  readonly act: (services: Services, options: Options, words: string[]) => Promise<Output>;
}

/** What every script takes, as parseArgs wants it told. */
export const COMMON_OPTIONS = {
  account: { type: 'string' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

interface Asked<Services, Options> {
  readonly args: readonly string[];
  readonly positionals: readonly string[];
  readonly values: Options & { readonly json: boolean };
  readonly commands: Readonly<Record<string, Command<Services, Options>>>;
  /** Gives the command its services. */
  readonly using: (work: (services: Services) => Promise<Output>) => Promise<Output>;
}

/** Does what the arguments ask for; what is to be printed. */
export async function perform<Services, Options>(asked: Asked<Services, Options>): Promise<string> {
  const [name = '', ...words] = asked.positionals;
  const command = Object.hasOwn(asked.commands, name) ? asked.commands[name] : undefined;
  if (!command || words.length > command.words) {
    throw new UsageError(`Unknown: ${asked.args.join(' ')} (--help shows what there is)`);
  }
  const takes: readonly PropertyKey[] | undefined = command.takes;
  const unfit = given(asked.values).find((option) => takes && !takes.includes(option));
  if (unfit !== undefined)
    throw new UsageError(`${name} takes no --${String(unfit)} (--help shows what there is)`);
  const { text, json } = await asked.using((services) => command.act(services, asked.values, words));
  return asked.values.json ? `${JSON.stringify(json, null, 2)}\n` : text;
}

/** The options that were given, but those that every command takes. */
function given<Options extends object>(values: Options): (keyof Options)[] {
  const names = Object.keys(values) as (keyof Options)[];
  return names.filter((name) => name !== 'json' && name !== 'help');
}

@Module({})
class ScriptModule {}

/** Runs `work` on modules of ours, on the database of the environment. */
export async function withModules<T>(
  env: Env,
  modules: NonNullable<DynamicModule['imports']>,
  work: (app: INestApplicationContext) => Promise<T>,
): Promise<T> {
  const imports = [ConfigModule.of(env), DatabaseModule.connect('capture-script'), ...modules];
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

/** @throws UsageError when there is none of this name. */
export async function accountNamed(accounts: AccountsService, name: string): Promise<Account> {
  const account = await accounts.findByName(name);
  if (!account) {
    throw new UsageError(`There is no account "${name}"; npm run keys -- list shows those that there are`);
  }
  return account;
}

/** The largest integer that the database holds. */
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

/** Whether the file of this URL is what Node was asked to run, and not imported by another. */
export function isStarted(url: string): boolean {
  return process.argv[1] !== undefined && url === pathToFileURL(process.argv[1]).href;
}

/** Prints what the arguments ask for, or why it cannot be done. */
export async function start(run: (args: string[]) => Promise<string>): Promise<void> {
  const args = process.argv.slice(2);
  try {
    process.stdout.write(await run(args));
  } catch (error) {
    process.stderr.write(explain(error, args.includes('--json')));
    process.exitCode = 1;
  }
}

/** What went wrong, to people or to programs. */
export function explain(error: unknown, asJson: boolean): string {
  const isExpected = error instanceof UsageError || error instanceof StartupError || isArgumentError(error);
  const text = error instanceof Error ? error.message : String(error);
  if (asJson) return `${JSON.stringify({ error: text }, null, 2)}\n`;
  return `${text}\n${isExpected ? '' : 'Is the service started, and DATABASE_URL the one it uses?\n'}`;
}

/** Of parseArgs: an option that there is not, or a value where none belongs. */
function isArgumentError(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && code.startsWith('ERR_PARSE_ARGS');
}
