import type { ModuleMetadata } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { ConfigModule, loadEnv, type Env } from '@app/config';
import { DatabaseModule } from '@app/database';
import { AppError } from '@app/kernel';
import { createDatabase, SECRETS_KEY, type TestDatabase } from './database.js';

/** Variables of libs/config; one that is undefined is not set. */
export type Settings = Readonly<Record<string, string | undefined>>;

/** What a spec starts; without a database it gets one of its own. */
export interface ModulesToStart extends ModuleMetadata {
  readonly database?: TestDatabase;
  readonly settings?: Settings;
  /** Runs before the modules start. */
  readonly prepare?: (env: Env) => Promise<void>;
  /** Pairs of an injection token and what takes its place. */
  readonly replace?: readonly (readonly [token: unknown, value: unknown])[];
}

/** Modules of the service without the applications around them. */
export interface StartedModules {
  readonly app: TestingModule;
  readonly database: TestDatabase;
  /** Closes the modules, and drops the database unless the spec had brought it. */
  close(): Promise<void>;
}

export async function startModules({
  database: given,
  settings = {},
  prepare,
  replace = [],
  imports = [],
  ...metadata
}: ModulesToStart): Promise<StartedModules> {
  const database = given ?? (await createDatabase());
  const env = testEnv(database, settings);
  await prepare?.(env);
  const builder = Test.createTestingModule({
    ...metadata,
    imports: [ConfigModule.forEnvironment(env), DatabaseModule.connect('test'), ...imports],
  });
  for (const [token, value] of replace) builder.overrideProvider(token).useValue(value);
  const module = await builder.compile();
  await module.init();
  return {
    app: module,
    database,
    close: async () => {
      await module.close();
      if (!given) await database.drop();
    },
  };
}

export function testEnv({ url }: Pick<TestDatabase, 'url'>, settings: Settings = {}): Env {
  return loadEnv({ DATABASE_URL: url, SECRETS_KEY, ...settings });
}

/** The code of an expected error; any other error as text. */
export function codeOf(error: unknown): string {
  return error instanceof AppError ? error.code : String(error);
}
