import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

const READY_WITHIN_MS = 60_000;
const STOP_WITHIN_MS = 60_000;
const POLL_MS = 50;
const SOURCE_MAPS = path.resolve('apps/launcher/src/source-maps.mjs');
const LOG_MAX_CHARACTERS = 200_000;

/** One of the built applications as a process. */
export interface AppProcess {
  readonly pid: number;
  readonly url: string;
  /** Resolves once its readiness probe answers 200; rejects with its log when it exits before. */
  ready(): Promise<void>;
  /** Its last output. */
  log(): string;
  isRunning(): boolean;
  kill(signal: NodeJS.Signals): void;
  /** Resolves to its exit code, or to the signal that ended it. */
  ended(): Promise<number | NodeJS.Signals>;
  /** Sends SIGTERM and waits. Rejects when it had to be killed, because an orderly shutdown is part of what is tested. */
  stop(): Promise<void>;
}

export interface AppSettings {
  readonly name: 'api' | 'worker';
  readonly port: number;
  readonly env: Readonly<Record<string, string>>;
  /**
   * Folder of the checkout whose modules are run, as in an image. Without it, tests run the bundles of this checkout, as
   * `npm start` does: they start with half of the CPU time.
   */
  readonly checkout?: string | undefined;
}

/** Starts a built application: the modules of `dist/apps/<name>`, or its bundle. */
export function startApp({ name, port, env, checkout }: AppSettings): AppProcess {
  const child = spawnTied([entryOf(name, checkout)], env);
  const { pid } = child;
  if (pid === undefined) throw new Error(`The ${name} could not be started.`);
  const url = `http://127.0.0.1:${port}`;
  const log = collect(child);
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  const ended = async () => {
    if (isRunning()) await once(child, 'exit');
    return child.exitCode ?? child.signalCode ?? 0;
  };
  const app = { pid, url, log, isRunning, ended, kill: (signal: NodeJS.Signals) => void child.kill(signal) };
  return { ...app, ready: () => untilReady(name, app), stop: () => stop(name, app) };
}

function entryOf(name: AppSettings['name'], checkout: string | undefined): string {
  const { TEST_BUNDLES: bundles } = process.env;
  if (checkout === undefined && bundles !== undefined) return path.join(bundles, `${name}.js`);
  return path.resolve(checkout ?? '.', `dist/apps/${name}/src/main.js`);
}

type Running = Omit<AppProcess, 'ready' | 'stop'>;

async function untilReady(name: string, { url, log, isRunning }: Running): Promise<void> {
  const deadline = performance.now() + READY_WITHIN_MS;
  while (!(await answers(`${url}/readyz`))) {
    if (!isRunning() || performance.now() > deadline)
      throw new Error(`The ${name} did not become ready.\n${log()}`);
    await wait(POLL_MS);
  }
}

async function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
}

async function stop(name: string, { kill, ended, log }: Running): Promise<void> {
  let killed = false;
  const timer = setTimeout(() => {
    killed = true;
    kill('SIGKILL');
  }, STOP_WITHIN_MS);
  kill('SIGTERM');
  await ended();
  clearTimeout(timer);
  if (killed) throw new Error(`The ${name} did not end by SIGTERM.\n${log()}`);
}

// On Linux the kernel kills it together with this process, so that a killed test run leaves nothing behind.
function spawnTied(args: readonly string[], env: Readonly<Record<string, string>>): ChildProcess {
  const command = [process.execPath, '--import', SOURCE_MAPS, ...args];
  const [file, ...rest] =
    process.platform === 'linux' ? ['setpriv', '--pdeathsig', 'KILL', '--', ...command] : command;
  return spawn(file ?? '', rest, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
}

function collect(child: ChildProcess): () => string {
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (part: string) => {
      text = (text + part).slice(-LOG_MAX_CHARACTERS);
    });
  }
  return () => text;
}
