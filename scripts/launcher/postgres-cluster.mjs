import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { draftFolder } from './files.mjs';
import { StartError } from './output.mjs';
import { asNobody, run, tied } from './processes.mjs';

export const USER = 'capture';
export const DATABASE = 'capture';

const LOCALE = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];

const passwordFile = (dir) => `${dir}.password`;

/**
 * Makes the data folder of a new PostgreSQL with one database and a password of its own: other users of the machine
 * can reach the port, but not the data.
 */
export async function createCluster({ bin, dir, durable }) {
  const draft = draftFolder(dir);
  const password = passwordFile(dir);
  if (!existsSync(password)) savePassword(dir);
  const flags = [
    '-D',
    draft,
    '-U',
    USER,
    `--pwfile=${password}`,
    '--auth=scram-sha-256',
    ...LOCALE,
    '--no-instructions',
  ];
  const made = await run(asNobody(tied(bin.initdb, durable ? flags : [...flags, '--no-sync'], 'KILL')));
  if (made.code !== 0) throw new StartError(`PostgreSQL could not make its data folder.\n${explain(made)}`);
  await execute({ bin, dir: draft, sql: `CREATE DATABASE ${DATABASE};` });
  renameSync(draft, dir);
}

/** The password of the cluster; a lost one is replaced. */
export async function seeToPassword({ bin, dir }) {
  if (existsSync(passwordFile(dir))) return savedPassword(dir);
  const password = savePassword(dir);
  await execute({ bin, dir, sql: `ALTER ROLE ${USER} PASSWORD '${password}';` });
  return password;
}

export const savedPassword = (dir) => readFileSync(passwordFile(dir), 'utf8');

function savePassword(dir) {
  const password = randomBytes(24).toString('base64url');
  writeFileSync(passwordFile(dir), password, { mode: 0o600 });
  return password;
}

// Single-user mode: SQL with no server running and no client needed.
async function execute({ bin, dir, sql }) {
  const done = await run(asNobody(tied(bin.postgres, ['--single', '-D', dir, 'postgres'], 'KILL')), {
    input: `${sql}\n`,
  });
  if (done.code !== 0 || /^\S* ?(ERROR|FATAL|PANIC):/m.test(done.stderr)) {
    throw new StartError(`PostgreSQL refused to prepare its data.\n${explain(done)}`);
  }
}

const explain = ({ stdout, stderr }) => (stderr || stdout).trim();
