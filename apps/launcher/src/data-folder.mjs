import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { beginningOf } from './processes.mjs';

/** Path of the checkout. */
export const root = fileURLToPath(new URL('../../..', import.meta.url)).replace(/[/\\]$/, '');

/**
 * Reads `.env` of the checkout, where there is one; a variable that is set already wins. SETTINGS_FROM_FILE names those that the file
 * has set, for operators who ask where a value comes from.
 */
export function loadDotEnv(file = path.join(root, '.env')) {
  if (!existsSync(file)) return;
  const before = new Set(Object.keys(process.env));
  process.loadEnvFile(file);
  process.env.SETTINGS_FROM_FILE = Object.keys(process.env)
    .filter((name) => !before.has(name))
    .join(',');
}

/** The folder of everything that the launcher keeps. It is absolute, because the processes it starts may run elsewhere. */
export function dataFolder(env = process.env) {
  return path.resolve(root, env.DATA_DIR || '.data');
}

/**
 * Writes a file that readers see whole or not at all.
 *
 * @param {string} file
 * @param {string} content
 */
export function writeWhole(file, content, mode = 0o600) {
  const draft = `${file}.${randomBytes(4).toString('hex')}`;
  writeFileSync(draft, content, { mode });
  renameSync(draft, file);
}

/**
 * Makes a folder beside `target` to fill before it is renamed to `target`: an interrupted start never leaves half of it,
 * and two starts at once do not meet. Removes the drafts of starts that were interrupted.
 *
 * @param {string} target
 */
export function draftFolder(target) {
  const folder = path.dirname(target);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(folder)) {
    const [, pid] = /\.draft-(\d+)$/.exec(name) ?? [];
    const isAbandoned =
      pid && name.startsWith(`${path.basename(target)}.`) && beginningOf(Number(pid)) === undefined;
    if (isAbandoned) rmSync(path.join(folder, name), { recursive: true, force: true });
  }
  const draft = `${target}.draft-${process.pid}`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft);
  return draft;
}

/** @param {string} dataDir */
const secretsKeyFile = (dataDir) => path.join(dataDir, 'secrets-key');

/**
 * The key that encrypts secrets at rest: 32 bytes in base64, made on the first start. Without it the secrets of queued
 * captures and of webhooks are lost.
 *
 * @param {string} dataDir
 */
export function secretsKey(dataDir) {
  const saved = savedSecretsKey(dataDir);
  if (saved !== undefined) return saved;
  const made = randomBytes(32).toString('base64');
  writeWhole(secretsKeyFile(dataDir), made);
  return made;
}

/**
 * The same key, or undefined when none was made yet.
 *
 * @param {string} dataDir
 */
export function savedSecretsKey(dataDir) {
  const file = secretsKeyFile(dataDir);
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
}

/**
 * The file of the first API key, which the printed command reads.
 *
 * @param {string} dataDir
 */
export const apiKeyFile = (dataDir) => path.join(dataDir, 'api-key');
