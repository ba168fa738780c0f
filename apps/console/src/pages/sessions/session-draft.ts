import type { BrowserState, CaptureAction, NewSession, SessionLogIn } from '@capture-service/client';

type Step = Readonly<Record<string, unknown>>;

/** What a person has typed in the form of a new session. */
export interface SessionDraft {
  readonly name: string;
  /** One a line. */
  readonly origins: string;
  readonly kind: 'login' | 'state';
  readonly loginUrl: string;
  /** The steps as the editor holds them: one may lack what it needs. */
  readonly actions: readonly Step[];
  /** Instead of steps: a recording of Chrome's DevTools. */
  readonly recording: Step | undefined;
  readonly secrets: Readonly<Record<string, string>>;
  readonly checkUrl: string;
  readonly checkSelector: string;
  readonly state: BrowserState | undefined;
}

/** What the fields of the form take. */
export interface DraftProps {
  readonly draft: SessionDraft;
  readonly change: (changes: Partial<SessionDraft>) => void;
  /** Why the service has refused the draft. */
  readonly error: Error | null;
}

export const EMPTY_DRAFT: SessionDraft = {
  name: '',
  origins: '',
  kind: 'login',
  loginUrl: '',
  actions: [],
  recording: undefined,
  secrets: {},
  checkUrl: '',
  checkSelector: '',
  state: undefined,
};

/** The steps of the log-in, in whichever way they are stated. */
function stepsOf({ actions, recording }: Pick<SessionDraft, 'actions' | 'recording'>): readonly Step[] {
  if (!recording) return actions;
  return Array.isArray(recording.steps) ? (recording.steps as readonly Step[]) : [];
}

/** The names of the secrets that the steps type, each once. */
export function secretNames(draft: Pick<SessionDraft, 'actions' | 'recording'>): string[] {
  const named = stepsOf(draft).flatMap(({ secret, totp }) =>
    [secret, totp].filter((name): name is string => typeof name === 'string' && name !== ''),
  );
  return [...new Set(named)];
}

/** Whether so much is filled in that the service can say the rest. */
export function isComplete(draft: SessionDraft): boolean {
  if (draft.name.trim() === '') return false;
  if (draft.kind === 'state') return draft.state !== undefined;
  return draft.loginUrl.trim() !== '' && stepsOf(draft).length > 0;
}

/** The request that the form makes. Without origins it is for that of the log-in. */
export function requestOf(draft: SessionDraft): NewSession {
  const { name, kind, state, checkUrl, checkSelector } = draft;
  const check = { url: checkUrl.trim(), selector: checkSelector.trim() };
  return {
    name: name.trim(),
    origins: originsOf(draft),
    ...((check.url !== '' || check.selector !== '') && { check }),
    ...(kind === 'state' ? { state: state ?? {} } : { login: logInOf(draft) }),
  };
}

function logInOf({ loginUrl, actions, recording, secrets }: SessionDraft): SessionLogIn {
  const named = secretNames({ actions, recording }).map((name) => [name, secrets[name] ?? ''] as const);
  return {
    url: loginUrl.trim(),
    ...(recording ? { recording } : { actions: actions as unknown as readonly CaptureAction[] }),
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
