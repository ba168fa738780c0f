import { useLocalStorage } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo, useRef, useState, type ReactNode } from 'react';
import { SessionContext, type SessionState } from './session-context.js';
import { logIn, logOut, logOutOf, PROVIDER_LOG_OUT, readSession, type Session } from './session-api.js';

const QUERY = ['session'];
/** The id of a key is public, like the name of a user; the key itself is never stored. */
const CHOSEN_KEY = 'capture-console-key-id';
/** A session that has ended is seen as soon as the service ends it, which is within 5 s of the end of its key. */
const WATCHED_MS = 4_000;

/** Keeps the session: which keys there are, and which of them is in use. */
export function SessionProvider({ children }: { readonly children: ReactNode }) {
  const { data, isPending, error } = useQuery({
    queryKey: QUERY,
    queryFn: ({ signal }) => readSession(signal),
    refetchInterval: WATCHED_MS,
  });
  const [chosen, choose] = useLocalStorage<string>({ key: CHOSEN_KEY, defaultValue: '' });
  const keys = useMemo(() => data?.keys ?? [], [data]);
  const { hasEnded, end, take } = useSessionChanges(keys.length > 0);
  const state = useMemo<SessionState>(
    () => ({
      keys,
      current: keys.find(({ id }) => id === chosen) ?? keys[0],
      isLoading: isPending,
      error,
      hasEnded,
      hasSingleSignOn: data?.has_single_sign_on ?? false,
      switchTo: choose,
      logIn: async (body) => {
        const known = new Set(keys.map(({ id }) => id));
        const session = await logIn(body);
        await take(session);
        // The new key is in use from now on: a person who adds one wants to see its account.
        const added = session.keys.find(({ id }) => !known.has(id));
        if (added) choose(added.id);
      },
      logOut: async () => {
        const hasSingleSignOn = data?.has_single_sign_on ?? false;
        const isSignedOn = hasSingleSignOn && keys.some(({ is_single_sign_on }) => is_single_sign_on);
        if (!isSignedOn) await logOut();
        await take({ keys: [], has_single_sign_on: hasSingleSignOn });
        if (isSignedOn) location.assign(PROVIDER_LOG_OUT);
      },
      logOutOf: async (keyId) => take(await logOutOf(keyId)),
      end,
    }),
    [data, keys, chosen, choose, isPending, error, hasEnded, end, take],
  );
  return <SessionContext value={state}>{children}</SessionContext>;
}

function useSessionChanges(isLoggedIn: boolean) {
  const queries = useQueryClient();
  const [wasLoggedIn, setWasLoggedIn] = useState(false);
  if (isLoggedIn && !wasLoggedIn) setWasLoggedIn(true);
  const [isLoggedOut, setIsLoggedOut] = useState(false);
  const isEnding = useRef(false);
  /** Takes over a session that the service has answered with. */
  const take = useCallback(
    async (session: Session) => {
      // A reading that is under way belongs to the session before.
      await queries.cancelQueries({ queryKey: QUERY });
      setIsLoggedOut(session.keys.length === 0);
      queries.setQueryData(QUERY, session);
      if (session.keys.length === 0)
        queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== QUERY[0] });
    },
    [queries],
  );
  /** Several requests are refused at once when a session ends; one of them reads it again. */
  const end = useCallback(() => {
    if (isEnding.current) return;
    isEnding.current = true;
    void queries.invalidateQueries({ queryKey: QUERY }).finally(() => {
      isEnding.current = false;
    });
  }, [queries]);
  return { hasEnded: wasLoggedIn && !isLoggedIn && !isLoggedOut, end, take };
}
