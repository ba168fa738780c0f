import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { BrowserState } from '@capture-service/client';
import { CliError } from '../context/cli-error.js';
import type { CliContext } from '../context/cli-context.js';
import { ask } from '../terminal/ask.js';
import { withBrowserWindow } from './browser-window.js';
import { chromiumOf } from './chromium.js';
import type { Recording } from './recorded-steps.js';
import { readWindowState } from './window-state.js';
import { WindowRecorder } from './window-recorder.js';

interface LogInToRecord {
  /** The name of the session, with which the names of the files begin. */
  readonly name: string;
  readonly origins: readonly string[];
  /** The page at which the person begins. */
  readonly url: string;
}

/** What a person did in the window, and what the browser has kept of it. */
interface RecordedLogIn {
  readonly recording: Recording;
  readonly state: BrowserState;
  /** Passwords and codes that were typed; what they are is not known. */
  readonly secretNames: readonly string[];
  readonly hasActions: boolean;
}

/**
 * Opens a window in which a person logs in, and saves what they did and the state of the browser beside each other.
 *
 * @throws CliError without a browser or a display, when a file exists, and when the window is closed too early
 */
export async function recordLogIn(context: CliContext, logIn: LogInToRecord): Promise<RecordedLogIn> {
  // What is wrong is said before a person has worked.
  const broken = [...logIn.origins, logIn.url].find(
    (text) => !/^https?:/.test(URL.parse(text)?.protocol ?? ''),
  );
  if (broken !== undefined)
    throw new CliError(`${broken} is no address of the web, such as https://shop.example.`);
  if (path.basename(logIn.name) !== logIn.name) throw new CliError(`${logIn.name} is no name for files.`);
  const program = chromiumOf(context.env);
  const files = [`${logIn.name}.recording.json`, `${logIn.name}.state.json`].map((file) =>
    path.resolve(file),
  ) as [string, string];
  // An earlier recording would be lost, or the work of the person.
  const existing = files.find((file) => existsSync(file));
  if (existing !== undefined) throw new CliError(`${existing} exists already: move it, or delete it.`);
  const recorded = await recordInWindow(context, program, logIn);
  await save(files[0], recorded.recording);
  await save(files[1], recorded.state);
  context.stderr.write(`Saved ${files.join(' and ')}. Who has the state is logged in: keep it secret.\n`);
  return recorded;
}

function recordInWindow(
  context: CliContext,
  program: string,
  { name, origins, url }: LogInToRecord,
): Promise<RecordedLogIn> {
  return withBrowserWindow(program, async (window) => {
    const recorder = new WindowRecorder(window);
    await Promise.race([recorder.start(url), window.closed]);
    await pressOfEnter(context, url, window.closed);
    recorder.stop();
    const state = await readWindowState(window, origins);
    const { secretNames, hasActions } = recorder.steps;
    return { recording: recorder.steps.recording(name), state, secretNames, hasActions };
  });
}

/** A terminal that still waited for Enter once the window is closed would keep the command from ending. */
async function pressOfEnter(context: CliContext, url: string, closed: Promise<never>): Promise<void> {
  const asking = new AbortController();
  const question = `Log in in the window at ${url}, then press Enter here. `;
  const answer = ask(context, question, { until: asking.signal });
  answer.catch(() => undefined);
  try {
    await Promise.race([answer, closed]);
  } finally {
    asking.abort();
  }
}

/** Nobody else may read what it holds. */
async function save(file: string, content: object): Promise<void> {
  await writeFile(file, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
}
