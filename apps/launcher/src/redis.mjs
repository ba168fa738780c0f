import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { hasApt, unpackPackages } from './apt.mjs';
import { end, onPath, pause, tied } from './processes.mjs';
import { runTask } from './tasks.mjs';

/** @import { ChildProcess } from 'node:child_process' */
/** @import { Variables } from './addresses.mjs' */
/** @import { StartedServer } from './postgres.mjs' */

const READY_WITHIN_MS = 10_000;
const STOP_GRACE_MS = 5_000;

/**
 * Checks that the Redis of REDIS_URL answers, where one is set: the applications would wait for it without limit.
 *
 * @param {Variables} env
 * @throws StartError that names REDIS_URL
 */
export async function requireRedis(env) {
  if (env.REDIS_URL) await runTask('check-redis', { env });
}

/**
 * @typedef {object} RedisOptions
 * @property {string} dir Its data.
 * @property {number} port
 * @property {string} toolsDir Where the package of the distribution is unpacked, on a machine without a Redis.
 * @property {boolean} [durable] Whether every write is on the disk before it is answered. Otherwise nothing is kept.
 * @property {(server: StartedServer) => void} [onSpawn]
 */

/**
 * Starts a Redis for tests: the redis-server or valkey-server on PATH, else the one of the distribution. Resolves to
 * undefined where there is neither.
 *
 * @param {RedisOptions} options
 */
export async function startRedis({ dir, port, toolsDir, durable = false, onSpawn = () => {} }) {
  const server = findOnPath() ?? (await fromPackage(path.join(toolsDir, 'redis')));
  if (!server) return undefined;
  mkdirSync(dir, { recursive: true });
  const { command, args } = tied(server.path, flagsFor({ dir, port, durable }));
  const child = spawn(command, args, {
    env: { ...process.env, ...server.env },
    stdio: 'ignore',
    detached: true,
  });
  child.once('error', () => {});
  if (child.pid !== undefined)
    onSpawn({ pid: child.pid, stop: () => end(child, { signal: 'SIGTERM', graceMs: STOP_GRACE_MS }) });
  await untilListening(child, port);
  return { url: `redis://127.0.0.1:${port}/0` };
}

/** @param {{ dir: string, port: number, durable: boolean }} options */
function flagsFor({ dir, port, durable }) {
  const settings = {
    port: String(port),
    bind: '127.0.0.1',
    dir,
    save: '',
    appendonly: durable ? 'yes' : 'no',
    appendfsync: 'always',
    databases: '512',
    'maxmemory-policy': 'noeviction',
  };
  return Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
}

function findOnPath() {
  const found = onPath(['redis-server', 'valkey-server']);
  return found && { path: found, env: {} };
}

/** @param {string} home */
async function fromPackage(home) {
  const server = path.join(home, 'usr/bin/redis-server');
  if (!existsSync(home)) {
    if (!hasApt()) return undefined;
    try {
      await unpackPackages({ packages: ['redis-server'], into: home, withDependencies: true });
    } catch {
      return undefined;
    }
  }
  return { path: server, env: { LD_LIBRARY_PATH: libraryFolders(path.join(home, 'usr/lib')).join(':') } };
}

/**
 * The folders below one that hold shared libraries, such as those of packages that were only unpacked.
 *
 * @param {string} folder
 */
export function libraryFolders(folder) {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const libraries = files.filter((file) => /\.so(\.|$)/.test(file));
  return [...new Set(libraries.map((file) => path.dirname(path.join(folder, file))))];
}

/**
 * @param {ChildProcess} child
 * @param {number} port
 */
async function untilListening(child, port) {
  const deadline = Date.now() + READY_WITHIN_MS;
  while (!(await answers(port))) {
    if (child.exitCode !== null || Date.now() > deadline)
      throw new Error(`Redis did not start (exit code ${child.exitCode}).`);
    await pause(10);
  }
}

/**
 * @param {number} port
 * @returns {Promise<boolean>}
 */
function answers(port) {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
