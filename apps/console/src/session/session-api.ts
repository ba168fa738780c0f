import { CaptureError, type Problem } from '@capture-service/client';
import { CONSOLE_HEADERS, type Scope } from '../api/client.js';
import { fetchAndSetClock } from '../api/server-clock.js';

/** A key that the session may act as. */
export interface SessionKey {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly account: { readonly id: string; readonly name: string };
  /** Whether it came by single sign-on. */
  readonly is_single_sign_on: boolean;
}

export interface Session {
  readonly keys: readonly SessionKey[];
  /** Whether people can log in by single sign-on. */
  readonly has_single_sign_on: boolean;
}

const ROUTE = '/console/session';

/** Where the browser goes to end its session here and with the identity provider. */
export const PROVIDER_LOG_OUT = `${ROUTE}/oidc/log-out`;

/** Where the browser goes to log in by single sign-on, and to come back to a page of the console. */
export function signOnUrl(page: string): string {
  return `${ROUTE}/oidc?${new URLSearchParams({ to: page }).toString()}`;
}

/** The session of the cookie; without one it has no keys. */
export function readSession(signal: AbortSignal): Promise<Session> {
  return call('GET', ROUTE, { signal }) as Promise<Session>;
}

/** Adds an API key, or the key of a link that logs in once. Neither is kept in the browser. */
export function logIn(body: { key: string } | { log_in: string }): Promise<Session> {
  return call('POST', ROUTE, {
    body: JSON.stringify(body),
    headers: { 'Content-Type': 'application/json' },
  }) as Promise<Session>;
}

export async function logOut(): Promise<void> {
  await call('DELETE', ROUTE);
}

/** Logs out of one key and stays logged in with the others. */
export function logOutOf(keyId: string): Promise<Session> {
  return call('DELETE', `${ROUTE}/keys/${keyId}`) as Promise<Session>;
}

async function call(method: string, url: string, init: RequestInit = {}): Promise<unknown> {
  const headers = { ...CONSOLE_HEADERS, ...(init.headers as Record<string, string> | undefined) };
  const response = await fetchAndSetClock(url, { ...init, method, headers }).catch((cause: unknown) => {
    throw new CaptureError({
      code: 'connection_failed',
      detail: 'The service does not answer.',
      cause,
      retryable: true,
    });
  });
  if (response.ok) return response.status === 204 ? undefined : response.json();
  const problem = (await response.json().catch(() => undefined)) as Problem | undefined;
  throw new CaptureError({
    code: problem?.code ?? 'invalid_response',
    detail: problem?.detail ?? `The service answered with ${response.status}.`,
    status: response.status,
    problem,
  });
}
