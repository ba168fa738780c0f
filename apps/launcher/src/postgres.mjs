import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { StartError } from './output.mjs';
import { binaries, createCluster, DATABASE, ensurePassword, savedPassword, USER } from './postgres-data.mjs';
import { asNobody, beginningOf, end, endStranger, pause, run, tied } from './processes.mjs';

/** @import { ChildProcess } from 'node:child_process' */
/** @import { Binaries } from './postgres-data.mjs' */

/**
 * A server that was started here; `stop` ends it in order.
 *
 * @typedef {object} StartedServer
 * @property {number} pid
 * @property {() => Promise<void>} stop
 */

/**
 * @typedef {object} PostgresOptions
 * @property {string} dir Its data; made when it is missing. Its log lies beside it.
 * @property {number | (() => Promise<number>)} port A function is called when the data is there, so that no other server takes the port meanwhile.
 * @property {Binaries} [programs] Of another PostgreSQL than the one that npm brings.
 * @property {boolean} [durable] False for tests: faster, and nothing survives a power cut.
 * @property {(server: StartedServer) => void} [onSpawn] Gets the server before it is ready, so that a failure in between
 *   leaves nothing running.
 */

/** Several specs start processes at the same time, each with connections of its own. */
const FOR_TESTS = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: 400 };

const READY_WITHIN_MS = 60_000;
const STOP_GRACE_MS = 20_000;
const LOG_MAX_BYTES = 5_000_000;

/**
 * Starts the PostgreSQL that npm brings, or another one, on loopback.
 *
 * @param {PostgresOptions} options
 * @throws StartError with the end of its log when it does not start
 */
export async function startPostgres({ dir, port, programs, durable = true, onSpawn = () => {} }) {
  const bin = programs ?? (await binaries());
  await requireOtherUser();
  if (!existsSync(path.join(dir, 'PG_VERSION'))) await createCluster({ bin, dir, durable });
  await endOrphan(dir);
  const password = await ensurePassword({ bin, dir });
  const chosen = typeof port === 'number' ? port : await port();
  const child = spawnServer({ bin, dir, port: chosen, durable });
  if (child.pid !== undefined)
    onSpawn({ pid: child.pid, stop: () => end(child, { signal: 'SIGINT', graceMs: STOP_GRACE_MS }) });
  await untilReady(child, dir);
  return { url: urlOf({ port: chosen, password }) };
}

/**
 * The URL of the PostgreSQL that a launcher runs on this data now; undefined when none does.
 *
 * @param {string} dir
 */
export function runningUrl(dir) {
  const server = readPidFile(dir);
  if (server?.status !== 'ready' || !isServerOf(server.pid, dir)) return undefined;
  return urlOf({ port: server.port, password: savedPassword(dir) });
}

/** @param {{ port: number, password: string }} server */
const urlOf = ({ port, password }) => `postgres://${USER}:${password}@127.0.0.1:${port}/${DATABASE}`;

async function requireOtherUser() {
  if (process.getuid?.() !== 0) return;
  const { code } = await run(asNobody({ command: 'true', args: [] }));
  if (code === 0) return;
  throw new StartError(
    'PostgreSQL does not run as root, and this machine has no user namespaces to make root look like another user.\n' +
      'Start as an ordinary user, or set DATABASE_URL to a PostgreSQL that runs already.',
  );
}

/** @param {{ bin: Binaries, dir: string, port: number, durable: boolean }} server */
function spawnServer({ bin, dir, port, durable }) {
  const settings = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: '',
    ...(durable ? {} : FOR_TESTS),
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  // SIGINT is PostgreSQL's fast shutdown: it ends sessions and closes the data in order.
  const { command, args } = asNobody(tied(bin.postgres, ['-D', dir, ...flags], 'INT'));
  const log = openLog(`${dir}.log`);
  // A group of its own: Ctrl-C in the terminal must not reach the database before the applications have ended.
  const child = spawn(command, args, {
    detached: true,
    stdio: ['ignore', log, log],
    env: { ...process.env, ...bin.env },
  });
  closeSync(log);
  child.once('error', () => {});
  return child;
}

/** @param {string} file */
function openLog(file) {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > LOG_MAX_BYTES) renameSync(file, `${file}.1`);
  return openSync(file, 'a', 0o600);
}

/**
 * Waits for the eighth line of postmaster.pid, in which the server writes its state; pg_ctl reads it there too.
 *
 * @param {ChildProcess} child
 * @param {string} dir
 */
async function untilReady(child, dir) {
  const deadline = Date.now() + READY_WITHIN_MS;
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null || child.pid === undefined;
  while (readPidFile(dir)?.status !== 'ready') {
    if (hasEnded() || Date.now() > deadline)
      throw new StartError(`PostgreSQL did not start. The end of ${dir}.log:\n${tail(`${dir}.log`)}`);
    await pause(5);
  }
}

/**
 * Ends the server that a killed launcher may have left on this data, and removes its lock file.
 *
 * @param {string} dir
 */
async function endOrphan(dir) {
  const orphan = readPidFile(dir);
  if (!orphan) return;
  if (isServerOf(orphan.pid, dir))
    await endStranger({ pid: orphan.pid, beginning: beginningOf(orphan.pid) }, 'SIGINT', STOP_GRACE_MS);
  // After a reboot the pid may be that of another program, and PostgreSQL would refuse to start beside it.
  rmSync(path.join(dir, 'postmaster.pid'), { force: true });
}

/**
 * @param {number} pid
 * @param {string} dir
 */
function isServerOf(pid, dir) {
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    return words.includes(dir);
  } catch {
    return process.platform !== 'linux' && beginningOf(pid) !== undefined;
  }
}

/** @param {string} dir */
function readPidFile(dir) {
  try {
    const lines = readFileSync(path.join(dir, 'postmaster.pid'), 'utf8').split('\n');
    return { pid: Number(lines[0]), port: Number(lines[3]), status: lines[7]?.trim() };
  } catch {
    return undefined;
  }
}

/** @param {string} file */
const tail = (file) =>
  existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').slice(-8).join('\n') : '';
