import { createContext, useContext } from 'react';
import type { SessionKey } from './session-api.js';

export interface SessionState {
  readonly keys: readonly SessionKey[];
  /** The key that the console acts as; undefined without a session. */
  readonly current: SessionKey | undefined;
  /** Whether the session is still being read. */
  readonly isLoading: boolean;
  readonly error: unknown;
  /** Whether people can log in by single sign-on. */
  readonly hasSingleSignOn: boolean;
  /** Whether the session has ended by itself, and not by a log-out. */
  readonly hasEnded: boolean;
  switchTo(keyId: string): void;
  logIn(body: { key: string } | { log_in: string }): Promise<void>;
  logOut(): Promise<void>;
  logOutOf(keyId: string): Promise<void>;
  /** Reads the session again, after the API refused it. */
  end(): void;
}

export const SessionContext = createContext<SessionState | null>(null);

export function useSession(): SessionState {
  const session = useContext(SessionContext);
  if (!session) throw new Error('useSession is called outside of SessionProvider');
  return session;
}
