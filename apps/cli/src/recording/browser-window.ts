import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { CliError } from '../context/cli-error.js';
import { EXIT } from '../context/exit-codes.js';
import { DevtoolsError, DevtoolsPipe } from './devtools-pipe.js';

const END_MS = 5_000;
const MAX_PRINTED = 2_000;
/** Offers to keep a password or an address, or to translate, would cover the page; the profile is removed anyway. */
const PREFERENCES = {
  credentials_enable_service: false,
  autofill: { profile_enabled: false, credit_card_enabled: false },
  translate: { enabled: false },
};

/** A browser that a command has opened, with a profile of its own that is removed with it. */
export interface BrowserWindow {
  readonly devtools: DevtoolsPipe;
  /** The session of its tab. */
  readonly sessionId: string;
  /** Rejects with a CliError when the person has closed it, or it has ended by itself. */
  readonly closed: Promise<never>;
}

/**
 * Opens a window of the browser for `use`, and closes it afterwards.
 *
 * @throws CliError when it does not start, with what it printed
 */
export async function withBrowserWindow<T>(
  program: string,
  use: (window: BrowserWindow) => Promise<T>,
): Promise<T> {
  const profile = await mkdtemp(path.join(os.tmpdir(), 'capture-recording-'));
  await mkdir(path.join(profile, 'Default'));
  await writeFile(path.join(profile, 'Default', 'Preferences'), JSON.stringify(PREFERENCES));
  const child = start(program, profile);
  const closed = endOf(child);
  // It also ends when `use` has ended.
  closed.catch(() => undefined);
  try {
    const [, , , input, output] = child.stdio;
    const devtools = new DevtoolsPipe(input as Writable, output as Readable);
    closed.catch((error: unknown) => devtools.close(error as Error));
    const sessionId = await openTab(devtools);
    return await use({ devtools, sessionId, closed });
  } catch (error) {
    // Only the tab is gone where an application outlives its windows, and before the process has ended.
    throw error instanceof DevtoolsError && error.isOfLostSession ? wasClosed() : error;
  } finally {
    await end(child);
    await rm(profile, { recursive: true, force: true, maxRetries: 3 });
  }
}

function start(program: string, profile: string): ChildProcess {
  const args = [
    ...[`--user-data-dir=${profile}`, '--remote-debugging-pipe', '--no-first-run'],
    // Otherwise it asks for the password of the keyring.
    ...['--no-default-browser-check', '--password-store=basic', 'about:blank'],
  ];
  return spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'] });
}

async function endOf(child: ChildProcess): Promise<never> {
  let printed = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    printed = (printed + text).slice(-MAX_PRINTED);
  });
  const code = await new Promise<string>((resolve) => {
    child.once('error', ({ message }) => resolve(message));
    child.once('close', (exitCode, signal) => resolve(String(exitCode ?? signal)));
  });
  const last = printed.trim().split('\n').at(-1) ?? '';
  throw wasClosed(code === '0' ? '' : ` It ended with ${code}${last && ': '}${last}`);
}

function wasClosed(reason = ''): CliError {
  return new CliError(`The browser was closed, and nothing was saved.${reason}`, { exitCode: EXIT.failed });
}

async function openTab(devtools: DevtoolsPipe): Promise<string> {
  const { targetInfos } = await devtools.send<{ targetInfos: { targetId: string; type: string }[] }>(
    'Target.getTargets',
  );
  const { targetId } =
    targetInfos.find(({ type }) => type === 'page') ??
    (await devtools.send<{ targetId: string }>('Target.createTarget', { url: 'about:blank' }));
  const { sessionId } = await devtools.send<{ sessionId: string }>('Target.attachToTarget', {
    targetId,
    flatten: true,
  });
  return sessionId;
}

/**
 * A browser ends with its pipe. A signal may reach a script only, such as Debian's `chromium`, and would leave the browser behind,
 * which keeps its output open.
 */
async function end(child: ChildProcess): Promise<void> {
  const isRunning = (): boolean =>
    child.pid !== undefined && child.exitCode === null && child.signalCode === null;
  if (!isRunning()) return;
  const ended = once(child, 'close');
  const [, , printed, ...pipe] = child.stdio;
  for (const stream of pipe) stream?.destroy();
  const timer = setTimeout(() => {
    child.kill('SIGKILL');
    printed?.destroy();
  }, END_MS);
  await ended;
  clearTimeout(timer);
}
