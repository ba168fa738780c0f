import { jsonConsumer, type CaptureFile, type SavedFile } from './answers.js';
import type { CaptureAction } from './capture-options.js';
import { pathOf } from './checks.js';
import { CAPTURE_FILE, download, downloadTo, type Download } from './downloads.js';
import { waitForEnd } from './follow-record.js';
import {
  createSession,
  deleteSession,
  getSession,
  getSessionPicture,
  listSessions,
  renewSession,
  type ListSessionsData,
  type SessionList,
  type SessionRecord,
  type SessionRequest,
} from './generated/openapi/index.js';
import { PAGE_ITEMS, pages } from './pages.js';
import { sleep } from './retry-plan.js';
import type { CallOptions, Transport, Wire } from './transport.js';

/** A log-in takes seconds. */
const POLL_MS = 500;

/** The state of a browser, as `storageState({ indexedDB: true })` of Playwright returns it. */
export interface BrowserState {
  readonly cookies?: readonly object[] | undefined;
  readonly origins?: readonly object[] | undefined;
}

/** How a session logs in: by steps, or as Chrome's DevTools have recorded it. */
export type SessionLogIn = LogInPage &
  (
    | { readonly actions: readonly CaptureAction[]; readonly recording?: undefined }
    | { readonly recording: object; readonly actions?: undefined }
  );

interface LogInPage {
  readonly url: string;
  /** Passwords and seeds of authenticators by name, which steps name. */
  readonly secrets?: Readonly<Record<string, string>> | undefined;
}

/** A session has a log-in, a state, or both: then the log-in renews the state. */
export type NewSession = Omit<SessionRequest, 'login' | 'state'> &
  (
    | { readonly login: SessionLogIn; readonly state?: BrowserState | undefined }
    | { readonly state: BrowserState; readonly login?: undefined }
  );

export interface SessionPages {
  /** How many sessions one request returns. */
  readonly limit?: NonNullable<ListSessionsData['query']>['limit'] | undefined;
  readonly cursor?: string | undefined;
}

export interface SessionWaitOptions {
  /** Time in ms after which the wait ends with `timeout`; the log-in continues. Without it there is no limit. */
  readonly timeoutMs?: number | undefined;
  /** Called with the record now, and at its end. */
  readonly onChange?: ((session: SessionRecord) => void) | undefined;
}

/** Sessions: logging in once for many captures, which name one in their option `session`. */
export class SessionsApi {
  constructor(private readonly transport: Transport) {}

  /** Makes a session: of a state it is active at once, with a log-in it is `pending` until a worker has logged in. */
  async create(session: NewSession, call?: CallOptions): Promise<SessionRecord> {
    const { data } = await createSession({ ...this.json(call), body: session as SessionRequest });
    return data;
  }

  /** All sessions, newest first. They are requested page by page, as far as they are read. */
  list({ limit = PAGE_ITEMS }: Omit<SessionPages, 'cursor'> = {}, call?: CallOptions) {
    return pages<SessionRecord>((cursor) => this.page({ limit, cursor }, call));
  }

  /** One page of the sessions, and the cursor of the next one. */
  async page({ limit, cursor }: SessionPages = {}, call?: CallOptions): Promise<SessionList> {
    const query = { ...(limit !== undefined && { limit }), ...(cursor !== undefined && { cursor }) };
    const { data } = await listSessions({ ...this.json(call), query });
    return data;
  }

  async get(nameOrId: string, call?: CallOptions): Promise<SessionRecord> {
    const { data } = await getSession({ ...this.json(call), path: pathOf({ id: nameOrId }) });
    return data;
  }

  /** Begins a log-in, also of a session that has failed or expired. One that is open goes on. */
  async logIn(nameOrId: string, call?: CallOptions): Promise<SessionRecord> {
    const { data } = await renewSession({ ...this.json(call), path: pathOf({ id: nameOrId }) });
    return data;
  }

  /**
   * Waits while a log-in is queued or running. The record then says how it ended: `active`, or `failed` or `pending` with its
   * `error`. A `pending` one logs in again for the next capture that needs it.
   */
  wait(
    nameOrId: string,
    { timeoutMs, onChange }: SessionWaitOptions = {},
    call: CallOptions = {},
  ): Promise<SessionRecord> {
    const follow = (options: CallOptions) => this.followLogIn(nameOrId, options);
    return waitForEnd(follow, {
      name: `The log-in of the session ${nameOrId}`,
      timeoutMs,
      onChange,
      call,
    });
  }

  /** What the last log-in saw at its end, with dots in place of its secrets. */
  picture(nameOrId: string, call?: CallOptions): Promise<CaptureFile> {
    return download(this.transport, pictureOf(nameOrId), call);
  }

  /** Saves what the last log-in saw at its end. */
  pictureToPath(nameOrId: string, path: string, call?: CallOptions): Promise<SavedFile> {
    return downloadTo(this.transport, pictureOf(nameOrId), { path, call });
  }

  /** Deletes the state and the secrets at once. Captures that run go on; later ones fail with `session_not_ready`. */
  async delete(nameOrId: string, call?: CallOptions): Promise<void> {
    await deleteSession({ ...this.json(call), path: pathOf({ id: nameOrId }) });
  }

  /** The record now, and the one after the log-in that is open. */
  private async *followLogIn(nameOrId: string, call: CallOptions): AsyncGenerator<SessionRecord> {
    const first = await this.get(nameOrId, call);
    yield first;
    if (!first.is_logging_in) return;
    for (;;) {
      await sleep(POLL_MS, call.signal);
      // By its id: a session that is deleted meanwhile may leave its name to another one.
      const record = await this.get(first.id, call);
      if (record.is_logging_in) continue;
      yield record;
      return;
    }
  }

  private json(call: CallOptions = {}): Wire {
    return this.transport.wire({ call, consume: jsonConsumer });
  }
}

function pictureOf(nameOrId: string): Download<CaptureFile> {
  return {
    kind: CAPTURE_FILE,
    run: (wire) => getSessionPicture({ ...wire, path: pathOf({ id: nameOrId }) }),
  };
}
