import { homedir } from 'node:os';
import path from 'node:path';
import { faultsOf, fieldsOf, instantiate, readTexts, StartupError } from '@app/kernel';
import { Env } from './env.js';

/** The environment does not satisfy Env; the message names every invalid variable. */
export class InvalidEnvironmentError extends StartupError {
  override readonly name = 'InvalidEnvironmentError';
}

/**
 * Where the value of a setting comes from: its default, the file `.env` that `npm start` reads, or a variable of the process,
 * which may be one that `npm start` sets.
 */
export const SETTING_ORIGINS = ['default', 'file', 'variable'] as const;
export type SettingOrigin = (typeof SETTING_ORIGINS)[number];

/** Names the variables that `npm start` has read from the file `.env`. It is no setting: an operator never sets it. */
const FROM_FILE = 'SETTINGS_FROM_FILE';

/** Where the values of an environment that was loaded come from; those that are not named are defaults. */
const origins = new WeakMap<Env, ReadonlyMap<string, SettingOrigin>>();

export function originOf(env: Env, name: string): SettingOrigin {
  return origins.get(env)?.get(name) ?? 'default';
}

/**
 * Reads the known variables and ignores others; an empty one counts as unset.
 *
 * @throws InvalidEnvironmentError that lists all faults
 */
export function loadEnv(source: NodeJS.ProcessEnv = process.env): Env {
  const names = fieldsOf(Env).map(({ name }) => name);
  const texts = Object.fromEntries(
    names.flatMap((name) =>
      source[name] === undefined || source[name] === '' ? [] : [[name, source[name]]],
    ),
  );
  const values = readTexts(Env, texts);
  const faults = faultsOf(Env, values);
  if (faults.length > 0) {
    const lines = faults.map(({ pointer, detail }) => `  ${pointer.slice(1)} ${detail}`);
    throw new InvalidEnvironmentError(`The environment is not valid:\n${lines.join('\n')}`);
  }
  const env = instantiate(Env, values);
  const fromFile = new Set(source[FROM_FILE]?.split(','));
  origins.set(
    env,
    new Map(Object.keys(texts).map((name) => [name, fromFile.has(name) ? 'file' : 'variable'])),
  );
  return env;
}

/**
 * The folders in which programs are looked up. PATH is no setting of the service, but only this file reads the
 * environment.
 */
export function searchPath(source: NodeJS.ProcessEnv = process.env): readonly string[] {
  return (source.PATH ?? '').split(path.delimiter).filter((folder) => folder !== '');
}

/** Puppeteer's folder of downloaded browsers, which its own variable sets; read here for the same reason. */
export function browserCacheDir(source: NodeJS.ProcessEnv = process.env): string {
  return source.PUPPETEER_CACHE_DIR || path.join(homedir(), '.cache', 'puppeteer');
}
