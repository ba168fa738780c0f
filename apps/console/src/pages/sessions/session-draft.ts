import type { BrowserState, CaptureAction, NewSession } from '@capture-service/client';

/** What a person has typed in the form of a new session. */
export interface SessionDraft {
  readonly name: string;
  /** One a line. */
  readonly origins: string;
  readonly kind: 'login' | 'state';
  readonly loginUrl: string;
  /** JSON. */
  readonly steps: string;
  readonly secrets: Readonly<Record<string, string>>;
  readonly checkUrl: string;
  readonly checkSelector: string;
  readonly state: BrowserState | undefined;
}

export const EMPTY_DRAFT: SessionDraft = {
  ...{ name: '', origins: '', kind: 'login', loginUrl: '', steps: '', secrets: {} },
  ...{ checkUrl: '', checkSelector: '', state: undefined },
};

/** The steps that the text holds; a text that is no list of steps says why. */
export function readSteps(text: string): { readonly steps: readonly object[]; readonly fault?: string } {
  if (text.trim() === '') return { steps: [] };
  try {
    const steps: unknown = JSON.parse(text);
    if (Array.isArray(steps)) return { steps: steps as object[] };
    return { steps: [], fault: 'must be a list of steps' };
  } catch (error) {
    return { steps: [], fault: `is not valid JSON: ${(error as Error).message}` };
  }
}

/** The names of the secrets that the steps type, each once. */
export function secretNames(text: string): string[] {
  const named = readSteps(text).steps.flatMap((step) => {
    const { secret, totp } = step as { secret?: unknown; totp?: unknown };
    return [secret, totp].filter((name) => typeof name === 'string');
  });
  return [...new Set(named)];
}

/** Whether so much is filled in that the service can say the rest. */
export function isComplete({ name, kind, loginUrl, steps, state }: SessionDraft): boolean {
  if (name.trim() === '') return false;
  if (kind === 'state') return state !== undefined;
  return loginUrl.trim() !== '' && readSteps(steps).steps.length > 0;
}

/** The request that the form makes. Without origins it is for that of the log-in. */
export function requestOf(draft: SessionDraft): NewSession {
  const { name, kind, state, checkUrl, checkSelector } = draft;
  const check = { url: checkUrl.trim(), selector: checkSelector.trim() };
  return {
    ...{ name: name.trim(), origins: originsOf(draft) },
    ...((check.url !== '' || check.selector !== '') && { check }),
    ...(kind === 'state' ? { state: state ?? {} } : { login: logInOf(draft) }),
  };
}

function logInOf({ loginUrl, steps, secrets }: SessionDraft) {
  const named = secretNames(steps).map((name) => [name, secrets[name] ?? ''] as const);
  return {
    url: loginUrl.trim(),
    actions: readSteps(steps).steps as readonly CaptureAction[],
    ...(named.length > 0 && { secrets: Object.fromEntries(named) }),
  };
}

function originsOf({ origins, kind, loginUrl }: SessionDraft): string[] {
  const stated = origins.split(/\s+/).filter((origin) => origin !== '');
  const login = kind === 'login' ? URL.parse(loginUrl.trim())?.origin : undefined;
  return stated.length === 0 && login !== undefined ? [login] : stated;
}

/** The state in a file. @throws Error that says why it holds none */
export function readState(text: string): BrowserState {
  let state: unknown;
  try {
    state = JSON.parse(text);
  } catch {
    // The message of JSON.parse shows a part of the text, which may be a cookie.
    throw new Error('The file is not valid JSON.');
  }
  if (isState(state)) return state;
  throw new Error('The file has no lists of cookies or origins, as the storageState of Playwright has.');
}

/** The service checks the rest. */
function isState(value: unknown): value is BrowserState {
  if (typeof value !== 'object' || value === null) return false;
  const { cookies, origins } = value as Record<string, unknown>;
  const isListOrNone = (list: unknown): boolean => list === undefined || Array.isArray(list);
  return [cookies, origins].every(isListOrNone) && [cookies, origins].some(Array.isArray);
}

/** How much a state holds, in words. */
export function stateSummary({ cookies = [], origins = [] }: BrowserState): string {
  return `Cookies: ${cookies.length}. Origins with storage: ${origins.length}.`;
}
