import type { BrowserState, CaptureAction, NewSession, SessionLogIn } from '@capture-service/client';
import { CliError } from '../context/cli-error.js';
import type { CliContext } from '../context/cli-context.js';
import { readInput } from '../files/input-file.js';
import { recordLogIn } from '../recording/record-log-in.js';
import { ask } from '../terminal/ask.js';

/** The flags of `capture sessions create`. */
export interface SessionFlags {
  readonly origin: readonly string[];
  readonly fromState?: string;
  readonly record?: boolean;
  readonly login?: string;
  readonly loginUrl?: string;
  readonly secrets?: string;
  readonly secretEnv?: readonly string[];
  readonly checkUrl?: string;
  readonly checkSelector?: string;
  readonly keepAliveS?: number;
  readonly expiresInS?: number;
}

/**
 * The session that the flags describe. The service checks the values.
 *
 * @throws CliError for flags that belong together, and for files that cannot be read
 */
export async function newSession(
  context: CliContext,
  name: string,
  flags: SessionFlags,
): Promise<NewSession> {
  const { origin, checkUrl, checkSelector, keepAliveS, expiresInS } = flags;
  if ((checkUrl === undefined) !== (checkSelector === undefined)) {
    throw new CliError('A check needs both --check-url and --check-selector.');
  }
  return {
    name,
    origins: [...origin],
    ...(checkUrl !== undefined &&
      checkSelector !== undefined && { check: { url: checkUrl, selector: checkSelector } }),
    ...(keepAliveS !== undefined && { keep_alive_s: keepAliveS }),
    ...(expiresInS !== undefined && { expires_in_s: expiresInS }),
    ...(flags.record === true
      ? await recordedBeginning(context, name, flags)
      : await beginningOf(context, flags)),
  };
}

async function beginningOf(context: CliContext, flags: SessionFlags) {
  const { fromState, login, loginUrl } = flags;
  if (login !== undefined && loginUrl !== undefined) {
    const state = fromState === undefined ? {} : { state: await stateIn(context, fromState) };
    return { login: await logInOf(context, flags, { file: login, url: loginUrl }), ...state };
  }
  if (login !== undefined || loginUrl !== undefined || hasSecrets(flags)) {
    throw new CliError('A log-in needs both --login <steps.json> and --login-url <url>.');
  }
  if (fromState !== undefined) return { state: await stateIn(context, fromState) };
  throw new CliError(
    'How does the session log in? Add --from-state <state.json>, --login <steps.json> --login-url <url>, or --record.',
  );
}

/** The session begins with the state of the window, and logs in as the person did there. */
async function recordedBeginning(context: CliContext, name: string, flags: SessionFlags) {
  const { origin, fromState, login, secrets, loginUrl: url = `${origin[0] ?? ''}/` } = flags;
  if (fromState !== undefined || login !== undefined) {
    throw new CliError('--record makes what --from-state and --login name: leave them out.');
  }
  if (secrets === '-') {
    throw new CliError('--record waits for Enter on standard input: give --secrets a file, or --secret-env.');
  }
  const given = await secretsOf(context, flags);
  const recorded = await recordLogIn(context, { name, origins: origin, url });
  const { state, recording, hasActions, secretNames } = recorded;
  if (!hasActions) return { state };
  const known = await completeSecrets(context, given, secretNames);
  if (!known) return { state };
  return { state, login: { url, recording, ...(secretNames.length > 0 && { secrets: known }) } };
}

/** The secrets that a recording needs. Null without one of them: the session then ends with its state. */
async function completeSecrets(
  context: CliContext,
  given: Readonly<Record<string, string>>,
  names: readonly string[],
): Promise<Record<string, string> | null> {
  const known: Record<string, string> = {};
  for (const name of names) {
    const question = `Secret ${name} (for the seed of an authenticator, its Base32 text; Enter for none): `;
    const isAsked = given[name] === undefined && context.stdin.isTTY === true;
    const value = isAsked ? await ask(context, question, { isSecret: true }) : (given[name] ?? '');
    if (value !== '') known[name] = value;
  }
  const missing = names.filter((name) => known[name] === undefined);
  if (missing.length === 0) return known;
  context.stderr.write(
    `The session cannot log in again without ${missing.join(', ')}: give --secret-env ${missing[0] ?? ''}=VARIABLE for that.\n`,
  );
  return null;
}

const hasSecrets = ({ secrets, secretEnv }: SessionFlags): boolean =>
  secrets !== undefined || secretEnv !== undefined;

const stateIn = async (context: CliContext, file: string): Promise<BrowserState> =>
  (await jsonIn(context, file)) as BrowserState;

async function logInOf(
  context: CliContext,
  flags: SessionFlags,
  { file, url }: { readonly file: string; readonly url: string },
): Promise<SessionLogIn> {
  const steps = await jsonIn(context, file);
  return {
    url,
    // A recording of Chrome's DevTools is an object.
    ...(Array.isArray(steps) ? { actions: steps as CaptureAction[] } : { recording: steps as object }),
    ...(hasSecrets(flags) && { secrets: await secretsOf(context, flags) }),
  };
}

/** Secrets come from a file, standard input or the environment: others on the machine see the arguments of a command. */
async function secretsOf(
  context: CliContext,
  { secrets, secretEnv = [] }: SessionFlags,
): Promise<Record<string, string>> {
  const inFile = secrets === undefined ? {} : ((await jsonIn(context, secrets)) as Record<string, string>);
  const inVariables = secretEnv.map((text) => {
    const [, name, variable] = /^([^=]+)=(\w+)$/.exec(text) ?? [];
    if (name === undefined || variable === undefined) {
      throw new CliError(
        '--secret-env takes the name of a secret and of a variable: password=SHOP_PASSWORD.',
      );
    }
    const value = context.env[variable];
    if (!value) throw new CliError(`The environment variable ${variable} is not set.`);
    return [name, value] as const;
  });
  return { ...inFile, ...Object.fromEntries(inVariables) };
}

async function jsonIn(context: CliContext, file: string): Promise<unknown> {
  const text = (await readInput(context, file)).toString();
  try {
    return JSON.parse(text);
  } catch {
    // The message of JSON.parse shows a part of the text, which may be a secret.
    throw new CliError(`${file === '-' ? 'Standard input' : file} is not valid JSON.`);
  }
}
