import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

const MAIN = 'dist/apps/cli/src/main.js';

export interface CliSettings {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Standard input; empty without it. The test itself writes and ends it with null. */
  readonly input?: string | Uint8Array | null;
  /** Runs it in a pseudo-terminal of this many columns, where stderr is a part of stdout. */
  readonly columns?: number;
}

/** Settings for a folder in which the command line uses this service. */
export function onService(
  { url, key }: { readonly url: string; readonly key: string },
  cwd: string,
  more: CliSettings = {},
): CliSettings {
  return { cwd, ...more, env: { CAPTURE_URL: url, CAPTURE_API_KEY: key, ...more.env } };
}

/** How a command line ended. */
export interface CliEnd {
  /** Its exit code, or the signal that ended it. */
  readonly code: number | NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command line that runs. */
export interface RunningCli {
  readonly child: ChildProcess;
  readonly ended: Promise<CliEnd>;
}

/** Starts the built command line with no settings of this machine; `env` has the service. */
export function startCli(args: readonly string[], settings: CliSettings = {}): RunningCli {
  const [file = '', ...words] = commandOf(args, settings.columns);
  const child = spawn(file, words, { cwd: settings.cwd, env: environmentOf(settings.env) });
  // The command line may end before it has read its input.
  child.stdin.on('error', () => undefined);
  if (settings.input !== null) child.stdin.end(settings.input ?? '');
  const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]).then(
    ([stdout, stderr]) => ({ code: child.exitCode ?? child.signalCode, stdout, stderr }),
  );
  return { child, ended };
}

/** Runs the built command line to its end. */
export function runCli(args: readonly string[], settings?: CliSettings): Promise<CliEnd> {
  return startCli(args, settings).ended;
}

function commandOf(args: readonly string[], columns: number | undefined): string[] {
  const command = [process.execPath, `${process.cwd()}/${MAIN}`, ...args];
  if (columns === undefined) return command;
  const line = command.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
  return ['script', '-qec', `stty cols ${columns}; ${line}`, '/dev/null'];
}

function environmentOf(env: CliSettings['env']): NodeJS.ProcessEnv {
  const { PATH } = process.env;
  return { PATH, HOME: '/nonexistent', NO_COLOR: '1', ...env };
}
