import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { hasApt, unpackPackages } from './apt.mjs';
import { onPath } from './paths.mjs';
import { end, pause, tied } from './processes.mjs';

const READY_WITHIN_MS = 10_000;
const STOP_GRACE_MS = 5_000;

/**
 * Runs a Redis for tests: redis-server or valkey-server of PATH, else the distribution's package unpacked into
 * `toolsDir`. It keeps nothing unless it is `durable`; then every write is on the disk before it is answered.
 * Undefined where no Redis can be had.
 */
export async function startRedis({ dir, port, toolsDir, durable = false, onSpawn = () => {} }) {
  const server = findOnPath() ?? (await fromPackage(path.join(toolsDir, 'redis')));
  if (!server) return undefined;
  mkdirSync(dir, { recursive: true });
  const flags = [
    '--port',
    port,
    '--bind',
    '127.0.0.1',
    '--dir',
    dir,
    '--save',
    '',
    '--appendonly',
    durable ? 'yes' : 'no',
    '--appendfsync',
    'always',
    '--databases',
    512,
    '--maxmemory-policy',
    'noeviction',
  ];
  const { command, args } = tied(server.path, flags);
  const child = spawn(command, args, {
    env: { ...process.env, ...server.env },
    stdio: 'ignore',
    detached: true,
  });
  child.once('error', () => {});
  onSpawn({ pid: child.pid, stop: () => end(child, { signal: 'SIGTERM', graceMs: STOP_GRACE_MS }) });
  await untilListening(child, port);
  return { url: `redis://127.0.0.1:${port}/0` };
}

function findOnPath() {
  const found = onPath(['redis-server', 'valkey-server']);
  return found && { path: found, env: {} };
}

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

function libraryFolders(folder) {
  const libraries = readdirSync(folder, { recursive: true }).filter((file) => /\.so(\.|$)/.test(file));
  return [...new Set(libraries.map((file) => path.dirname(path.join(folder, file))))];
}

async function untilListening(child, port) {
  const deadline = Date.now() + READY_WITHIN_MS;
  while (!(await answers(port))) {
    if (child.exitCode !== null || Date.now() > deadline)
      throw new Error(`Redis did not start (exit code ${child.exitCode}).`);
    await pause(10);
  }
}

function answers(port) {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
