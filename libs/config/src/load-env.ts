import { homedir } from 'node:os';
import path from 'node:path';
import { faultsOf, fieldsOf, instantiate, readTexts, StartupError } from '@app/kernel';
import { Env } from './env.js';

/** The environment is not as env.ts asks; the message names every variable at fault. */
export class InvalidEnvironmentError extends StartupError {
  override readonly name = 'InvalidEnvironmentError';
}

/**
 * Reads the known variables; an empty one counts as unset. Unknown variables are not ours to judge.
 *
 * @throws InvalidEnvironmentError that lists all faults at once.
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
  return instantiate(Env, values);
}

/**
 * Folders in which programs are looked up. Not a setting of ours, but read here: only this file reads the process's
 * environment.
 */
export function searchPath(source: NodeJS.ProcessEnv = process.env): readonly string[] {
  return (source.PATH ?? '').split(path.delimiter).filter((folder) => folder !== '');
}

/** Puppeteer's folder of downloaded browsers, which its own variable sets; read here for the same reason. */
export function browserCacheDir(source: NodeJS.ProcessEnv = process.env): string {
  return source.PUPPETEER_CACHE_DIR || path.join(homedir(), '.cache', 'puppeteer');
}
