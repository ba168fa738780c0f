import { CaptureClient, type KeyRecord } from '@capture-service/client';
import { createContext, useContext } from 'react';
import { fetchAndSetClock } from './server-clock.js';

/** The reference of the API, on the same server. */
export const DOCS_URL = '/docs';

/** With this header the API knows that a request comes from the console's own page, and not from another site. */
export const CONSOLE_HEADERS = { 'X-Capture-Console': '1' };

/** What a key may do. */
export type Scope = KeyRecord['scopes'][number];

/** Calls the API as one key of the session. The browser adds the session's cookie by itself. */
export interface Api {
  readonly keyId: string;
  readonly accountId: string;
  readonly scopes: readonly Scope[];
  readonly client: CaptureClient;
  /** The address of a path of the API, such as `result_url`, that an `<img>`, a link or an EventSource can load. */
  urlOf(path: string): string;
  /** The events of a path of the API. They tell at once when the connection is lost, unlike the client's own. */
  follow(path: string): EventSource;
}

/** The key that the API is called as. */
interface CallingKey {
  readonly id: string;
  readonly scopes: readonly Scope[];
  readonly account: { readonly id: string };
}

export function apiOf({ id: keyId, scopes, account }: CallingKey, onSessionEnd: () => void): Api {
  const base = `${location.origin}/console/keys/${keyId}`;
  const send: typeof fetch = async (input, init) => {
    const headers = new Headers(init?.headers);
    for (const [name, value] of Object.entries(CONSOLE_HEADERS)) headers.set(name, value);
    const response = await fetchAndSetClock(input, { ...init, headers });
    if (response.status === 401) onSessionEnd();
    return response;
  };
  return {
    keyId,
    scopes,
    accountId: account.id,
    client: new CaptureClient({ baseUrl: base, fetch: send }),
    urlOf: (path) => `${base}${path}`,
    follow: (path) => new EventSource(`${base}${path}`),
  };
}

export const ApiContext = createContext<Api | null>(null);

/** The API as the key that is in use. */
export function useApi(): Api {
  const api = useContext(ApiContext);
  if (!api) throw new Error('useApi is called outside of a session');
  return api;
}
