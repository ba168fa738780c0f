import { addressFault, parseOptions, Recording, SESSION_NAME } from '@app/capture';
import {
  AppError,
  faultsOf,
  invalidRequest,
  isPlainObject,
  ObjectList,
  Part,
  Text,
  TextList,
  TextMap,
  Whole,
  type Fault,
} from '@app/kernel';
import { logInOptions, logInPointer, stateFaults, type LogIn, type SessionCheck } from '@app/sessions';

const MAX_ORIGINS = 10;
const DAY_S = 86_400;

/** The fields of `POST /v1/sessions` that are no objects. */
export class SessionFields {
  @Text('Name of the session among those of the account.', {
    max: 64,
    pattern: SESSION_NAME,
    message: 'must be 1 to 64 letters, digits, dots, hyphens and underscores',
    example: 'shop',
  })
  name?: string;

  @TextList(
    'The origins that the session is for. They never change: cookies and storage of others are dropped, and captures of others are refused.',
    {
      maxItems: MAX_ORIGINS,
      maxLength: 2_048,
      check: originsFault,
      example: ['https://shop.example'],
    },
  )
  origins: string[] = [];

  @Whole(
    'Seconds after which `check` is opened again before the next capture uses the session. Without `check` it has no effect.',
    { min: 10, max: 30 * DAY_S },
  )
  keep_alive_s = 900;

  @Whole('Seconds after a log-in, or after its creation, in which the session can be used.', {
    min: 60,
    max: 365 * DAY_S,
  })
  expires_in_s = DAY_S;
}

/** How the session logs in. */
export class LogInFields {
  @Text('Address of the page to log in at, on one of `origins`.', {
    max: 2_048,
    check: (text: string) => addressFault(text),
    example: 'https://shop.example/login',
  })
  url?: string;

  @ObjectList('The steps of the log-in, as the option `actions` of a capture has them.', {
    maxItems: 28,
    example: [
      { type: 'fill', selector: '#email', value: 'ada@example.com' },
      { type: 'fill', selector: '#password', secret: 'password' },
      { type: 'click', selector: 'text/Sign in' },
    ],
  })
  actions: object[] = [];

  @Part(
    Recording,
    'Instead of `actions`: a recording that Chrome’s DevTools (Recorder) exported as JSON. Its `change` steps name secrets as `secret` or `totp`, in place of their `value`.',
    { example: { title: 'Sign in', steps: [{ type: 'click', selectors: [['#in']] }] } },
  )
  recording?: Recording;

  @TextMap('Passwords and seeds of authenticators by name, as the option `secrets` has them.', {
    secret: true,
    example: { password: 'correct horse' },
  })
  secrets: Record<string, string> = {};
}

/** What shows that the session works. */
export class CheckFields {
  @Text('Address of a page that only those see who are logged in, on one of `origins`.', {
    max: 2_048,
    check: (text: string) => addressFault(text),
    example: 'https://shop.example/account',
  })
  url?: string;

  @Text('Selector of an element that this page shows then.', { max: 1_000, example: '.account' })
  selector?: string;
}

/** A valid request for a session. */
export interface SessionRequest {
  readonly name: string;
  readonly origins: string[];
  readonly logIn: LogIn | null;
  readonly secrets: Readonly<Record<string, string>>;
  readonly check: SessionCheck | null;
  /** In the format of Playwright, without `stateFaults`; undefined for a session that logs in. */
  readonly state: unknown;
  readonly keepAliveS: number;
  readonly expiresInS: number;
}

type Given = Readonly<Record<string, unknown>>;

/** @throws AppError `invalid_request` with every fault; `session_origin` for a log-in or a check outside the origins */
export function readSessionRequest(raw: unknown): SessionRequest {
  if (!isPlainObject(raw)) throw invalidRequest(faultsOf(SessionFields, raw));
  const { login, check, state, ...fields } = raw;
  const faults = [
    ...faultsOf(SessionFields, fields),
    ...missing(fields, ['name', 'origins'], ''),
    ...partFaults(login, { type: LogInFields, required: ['url'], pointer: '/login' }),
    ...waysFaults(login),
    ...partFaults(check, { type: CheckFields, required: ['url', 'selector'], pointer: '/check' }),
    ...(state === undefined ? [] : stateFaults(state, '/state')),
    ...(login === undefined && state === undefined
      ? [{ pointer: '/login', code: 'required', detail: 'is missing: give a login, or a state' }]
      : []),
  ];
  if (faults.length > 0) throw invalidRequest(faults);
  const request = toRequest(fields, {
    login: login as Given | undefined,
    check: check as SessionCheck | undefined,
    state,
  });
  assertOrigins(request);
  const steps = stepFaults(request);
  if (steps.length > 0) throw invalidRequest(steps);
  return request;
}

interface Parts {
  readonly login: Given | undefined;
  readonly check: SessionCheck | undefined;
  readonly state: unknown;
}

function toRequest(fields: Given, { login, check, state }: Parts): SessionRequest {
  const { name, origins, keep_alive_s, expires_in_s } = Object.assign(new SessionFields(), fields);
  const { url = '', actions, recording, secrets } = Object.assign(new LogInFields(), login);
  return {
    name: name ?? '',
    origins: [...new Set(origins.map((origin) => new URL(origin).origin))],
    logIn: login === undefined ? null : { url, actions, ...(recording && { recording }) },
    secrets,
    check: check ?? null,
    state,
    keepAliveS: keep_alive_s,
    expiresInS: expires_in_s,
  };
}

interface Part {
  readonly type: typeof LogInFields | typeof CheckFields;
  readonly required: readonly string[];
  readonly pointer: string;
}

function partFaults(raw: unknown, { type, required, pointer }: Part): Fault[] {
  if (raw === undefined) return [];
  const faults = faultsOf(type, raw, pointer);
  return isPlainObject(raw) ? [...faults, ...missing(raw, required, pointer)] : faults;
}

/** A log-in has steps in one of two ways. */
function waysFaults(login: unknown): Fault[] {
  if (!isPlainObject(login)) return [];
  const { actions, recording } = login;
  const hasActions = Array.isArray(actions) && actions.length > 0;
  if (hasActions !== (recording !== undefined)) return [];
  return hasActions
    ? [{ pointer: '/login/recording', code: 'conflict', detail: 'must not be combined with actions' }]
    : [{ pointer: '/login/actions', code: 'required', detail: 'is missing: give actions, or a recording' }];
}

function missing(given: Given, required: readonly string[], pointer: string): Fault[] {
  const isMissing = (name: string): boolean => {
    const value = given[name];
    return value === undefined || (Array.isArray(value) && value.length === 0);
  };
  return required
    .filter(isMissing)
    .map((name) => ({ pointer: `${pointer}/${name}`, code: 'required', detail: 'is missing' }));
}

function originsFault(origins: readonly string[]): string | undefined {
  const isOrigin = (text: string): boolean => {
    const url = URL.parse(text);
    return (
      url !== null && addressFault(text) === undefined && (text === url.origin || text === `${url.origin}/`)
    );
  };
  return origins.every(isOrigin)
    ? undefined
    : 'must be origins, such as https://shop.example, without a path';
}

function assertOrigins({ origins, logIn, check }: SessionRequest): void {
  const outside = [
    ['/login/url', logIn?.url],
    ['/check/url', check?.url],
  ].filter(([, url]) => url !== undefined && !origins.includes(new URL(url).origin));
  if (outside.length === 0) return;
  const detail = 'must be of one of the origins of the session';
  const errors = outside.map(([pointer = '']) => ({ pointer, code: 'session_origin', detail }));
  throw new AppError('session_origin', { detail: `${errors[0]?.pointer.slice(1) ?? ''} ${detail}`, errors });
}

/** The faults of the steps and their secrets, as the capture that logs in would be refused for them. */
function stepFaults({ logIn, check, secrets }: SessionRequest): Fault[] {
  try {
    if (logIn) parseOptions(logInOptions(logIn, check, secrets));
    return [];
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'invalid_request') throw error;
    return (error.facts.errors ?? []).map((fault) => ({
      ...fault,
      pointer: logInPointer(fault.pointer, logIn, '/check/selector'),
    }));
  }
}
