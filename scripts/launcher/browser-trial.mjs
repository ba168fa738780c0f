import { spawn } from 'node:child_process';
import path from 'node:path';
// As they are: Node strips their types. The worker starts its browsers by the same code.
import { BrowserUser, mayChangeUser } from '../../libs/browser/src/browser-user.ts';
import { WorkerFolder } from '../../libs/browser/src/worker-folder.ts';
import { end, endGroup, tied } from './processes.mjs';

const TIMEOUT_MS = 30_000;

/**
 * Starts a browser once, as the worker would, and lets a page of it compute something: that takes its libraries, its
 * renderer and, with `sandbox`, the sandbox of that renderer. Resolves to `{ works: true }`, or to what it said instead.
 *
 * Spoken is the DevTools protocol over a pipe, as the worker does; not every build knows --dump-dom.
 */
export async function tryBrowser({ path: executable, libraryPath }, { sandbox, dataDir }) {
  const folder = await WorkerFolder.open({ dataDir, passable: mayChangeUser() });
  try {
    const files = libraryPath ? libraryPath.split(path.delimiter) : [];
    const needs = { program: executable, files, dataDir, folder: folder.path, sandbox };
    const user = await BrowserUser.choose(needs);
    const uid = user.nextUid();
    const { home, profile, temporary } = await folder.openBrowserFolder(uid);
    // The death signal goes innermost: it does not survive the change of user.
    const { command, args } = tied(executable, flags({ profile, sandbox }), 'KILL');
    const env = { PATH: process.env.PATH, HOME: home, TMPDIR: temporary };
    if (libraryPath) env.LD_LIBRARY_PATH = libraryPath;
    return await converse(user.wrap({ file: command, args }, uid), env);
  } finally {
    await folder.remove();
  }
}

async function converse({ file, args }, env) {
  const child = spawn(file, args, {
    // A group of its own, to end its helpers with it.
    detached: true,
    env,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
  });
  try {
    return await Promise.race([conversation(child), failure(child)]);
  } finally {
    endGroup(child, 'SIGKILL');
    await end(child, { signal: 'SIGKILL', graceMs: 0 });
  }
}

const flags = ({ profile, sandbox }) => [
  '--headless',
  '--remote-debugging-pipe',
  '--no-first-run',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  `--user-data-dir=${profile}`,
  ...(sandbox ? [] : ['--no-sandbox']),
  'about:blank',
];

async function conversation(child) {
  const { call } = devTools(child);
  const { targetId } = await call('Target.createTarget', { url: 'about:blank' });
  const { sessionId } = await call('Target.attachToTarget', { targetId, flatten: true });
  const { result } = await call('Runtime.evaluate', { expression: '6 * 7' }, sessionId);
  return result?.value === 42 ? { works: true } : { works: false, reason: 'its page computes nothing' };
}

// Messages are JSON, each ended by a zero byte: in on file descriptor 3, out on 4.
function devTools(child) {
  const waiting = new Map();
  let rest = '';
  let lastId = 0;
  child.stdio[4].setEncoding('utf8').on('data', (text) => {
    const messages = (rest + text).split('\0');
    rest = messages.pop();
    for (const { id, result } of messages.map((message) => JSON.parse(message)))
      waiting.get(id)?.(result ?? {});
  });
  const call = (method, params, sessionId) =>
    new Promise((resolve) => {
      lastId += 1;
      waiting.set(lastId, resolve);
      child.stdio[3].write(`${JSON.stringify({ id: lastId, method, params, sessionId })}\0`);
    });
  return { call };
}

function failure(child) {
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text) => (said = (said + text).slice(-20_000)));
  // A browser that does not start closes the pipe under our first message.
  for (const stream of [child.stdio[3], child.stdio[4]]) stream.on('error', () => {});
  return new Promise((resolve) => {
    const fail = (reason) => resolve({ works: false, reason });
    const timer = setTimeout(
      () => fail(`no answer in ${TIMEOUT_MS / 1_000} s; ${lastWords(said)}`),
      TIMEOUT_MS,
    );
    child.once('error', (error) => fail(error.message));
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      fail(lastWords(said) || `it ended (${signal ?? `exit code ${code}`})`);
    });
  });
}

/** The line of a browser's complaints that says most: the last one that is no mere warning. */
export function lastWords(said) {
  const lines = said
    .split('\n')
    .filter((line) => line.trim() !== '' && !/dbus|:WARNING:|^\s*#\d+ /.test(line));
  return (lines.findLast((line) => /FATAL|error while loading/i.test(line)) ?? lines.at(-1) ?? '')
    .trim()
    .slice(0, 300);
}
