import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AppError, Clock } from '@app/kernel';
import { AuthService } from './auth.service.js';
import { toCaller, type Caller } from './caller.js';
import {
  ConsoleSessionRepository,
  type ProviderLogOut,
  type ProviderSession,
  type SessionKey,
} from './console-session.repository.js';
import { hashSecret } from './key-format.js';
import { LookupCache } from './lookup-cache.js';

/** How long a log-in lasts. */
export const SESSION_LIFE_S = 14 * 86_400;
/** How long the link lasts that logs in once. */
const LOG_IN_LIFE_S = 600;
/** Keys of one session; more are no person's. */
const MAX_KEYS = 20;
/** Sessions of one key. The oldest end: who logs in again and again does not fill the table. */
const MAX_SESSIONS = 1_000;
const TOKEN = /^[\w-]{43}$/;

/** A link that logs in once. */
export interface LogIn {
  readonly token: string;
  readonly expiresAt: Date;
}

/** How long a log-in lasts, and the session of the provider that it belongs to; null for a log-in with a key. */
export interface SignOn {
  readonly lifeS: number;
  readonly provider: ProviderSession | null;
}

/** A session with its keys. */
export interface Session {
  /** The secret of the cookie; 256 random bits, of which only the SHA-256 is stored. */
  readonly token: string;
  readonly keys: readonly SessionKey[];
}

/**
 * The sessions of the console. A session holds the keys that were presented to it and acts as one of them, so that it may
 * do what they may, and ends with them: a revoked key is gone from all sessions within 5 s.
 */
@Injectable()
export class ConsoleSessionsService {
  private readonly sessions: LookupCache<readonly SessionKey[]>;

  constructor(
    private readonly repository: ConsoleSessionRepository,
    private readonly auth: AuthService,
    clock: Clock,
  ) {
    this.sessions = new LookupCache(clock, async (hash): Promise<readonly SessionKey[] | null> => {
      const keys = await repository.findKeys(Buffer.from(hash, 'base64url'));
      return keys.length > 0 ? keys : null;
    });
  }

  /** A link that logs in with this key once, within 10 minutes. */
  async createLogIn(keyId: string): Promise<LogIn> {
    const token = newToken();
    return { token, expiresAt: await this.repository.addLogIn(hashSecret(token), keyId, LOG_IN_LIFE_S) };
  }

  /**
   * Begins a session with the key of a log-in link, and the keys of the session before.
   *
   * @param mayLookUp as in `AuthService.authenticate`
   * @throws AppError `unauthorized`
   */
  async redeem(logIn: string, current: string | undefined, mayLookUp: () => boolean): Promise<Session> {
    const isToken = TOKEN.test(logIn) && mayLookUp();
    const keyId = isToken ? await this.repository.takeLogIn(hashSecret(logIn)) : null;
    if (keyId === null) {
      throw new AppError('unauthorized', {
        detail: 'The link has expired or was used before. Paste an API key, or make another link.',
      });
    }
    return this.begin({ keyId, lifeS: SESSION_LIFE_S, provider: null }, current);
  }

  /**
   * Begins a session with a key, and the keys of the session before.
   *
   * @param mayLookUp as in `AuthService.authenticate`
   * @throws AppError `unauthorized`
   */
  async logIn(key: string, current: string | undefined, mayLookUp: () => boolean): Promise<Session> {
    const { keyId } = await this.auth.authenticate(key, mayLookUp);
    return this.begin({ keyId, lifeS: SESSION_LIFE_S, provider: null }, current);
  }

  /**
   * Begins a session with the keys of a person whom single sign-on has let in, and the keys of the session before, which keep
   * their time.
   *
   * @throws AppError `invalid_request` when these are too many
   */
  async enter(
    keyIds: readonly string[],
    current: string | undefined,
    signOn: SignOn,
  ): Promise<string | undefined> {
    let token = current;
    for (const keyId of keyIds) ({ token } = await this.begin({ keyId, ...signOn }, token));
    return token;
  }

  /**
   * The valid keys of a session; none when it has ended.
   *
   * @param mayLookUp as in `AuthService.authenticate`
   */
  async keysOf(token: string | undefined, mayLookUp: () => boolean): Promise<readonly SessionKey[]> {
    if (token === undefined || !TOKEN.test(token)) return [];
    const { row } = await this.sessions.find(idOf(token), mayLookUp);
    return row ?? [];
  }

  /**
   * The caller as which a session acts with one of its keys.
   *
   * @throws AppError `unauthorized`
   */
  async callerOf(token: string | undefined, keyId: string, mayLookUp: () => boolean): Promise<Caller> {
    const keys = await this.keysOf(token, mayLookUp);
    const key = keys.find(({ id }) => id === keyId);
    if (!key) {
      throw new AppError('unauthorized', {
        detail: 'The session has ended, or its key was revoked: log in again.',
      });
    }
    return toCaller(key);
  }

  async removeKey(token: string, keyId: string): Promise<void> {
    await this.repository.removeKey(hashSecret(token), keyId);
    this.sessions.forget(idOf(token));
  }

  /** Ends a session; other processes know it within 5 s. Returns as `ConsoleSessionRepository.end`. */
  async end(token: string): Promise<Buffer | null> {
    const idToken = await this.repository.end(hashSecret(token));
    this.sessions.forget(idOf(token));
    return idToken;
  }

  /** Ends log-ins by single sign-on, as the provider has said; processes know it within 5 s. */
  endSignOns(logOut: ProviderLogOut): Promise<void> {
    return this.repository.endSignOns(logOut);
  }

  /**
   * Every log-in has a token of its own, which takes over the keys of the session before: a token that another site has put
   * into the browser never gets a key of the person who logs in.
   */
  private async begin(
    { keyId, lifeS, provider }: { readonly keyId: string } & SignOn,
    current: string | undefined,
  ): Promise<Session> {
    const from = current !== undefined && TOKEN.test(current) ? hashSecret(current) : undefined;
    const known = from ? await this.repository.findKeys(from) : [];
    if (known.length >= MAX_KEYS && !known.some(({ id }) => id === keyId)) {
      throw new AppError('invalid_request', {
        detail: `A session holds at most ${MAX_KEYS} keys: log out of one first.`,
      });
    }
    const token = newToken();
    await this.repository.begin(hashSecret(token), {
      keyId,
      lifeS,
      from,
      maxSessions: MAX_SESSIONS,
      provider,
    });
    if (current !== undefined) this.sessions.forget(idOf(current));
    return { token, keys: await this.repository.findKeys(hashSecret(token)) };
  }
}

function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** The hash of a token: the cache does not hold the tokens either. */
function idOf(token: string): string {
  return hashSecret(token).toString('base64url');
}
