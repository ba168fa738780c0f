import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { NewSession, SessionRecord } from '@capture-service/client';
import { useApi } from '../../api/client.js';

const PAGE_ITEMS = 50;
/** How often a session is read again while it logs in, and otherwise; a list for each page that is loaded. */
const BUSY_MS = 1_000;
const IDLE_MS = 10_000;

/** The sessions of the account, newest first, page by page. */
export function useSessions() {
  const { client, keyId } = useApi();
  return useInfiniteQuery({
    queryKey: ['sessions', keyId, 'list'],
    queryFn: ({ pageParam, signal }) =>
      client.sessions.page({ limit: PAGE_ITEMS, cursor: pageParam }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor: next }) => next ?? undefined,
    refetchInterval: ({ state: { data } }) => {
      const isBusy = data?.pages.some(({ items }) => items.some((session) => session.is_logging_in));
      return (isBusy ? BUSY_MS : IDLE_MS) * Math.max(1, data?.pages.length ?? 1);
    },
  });
}

const sessionKey = (keyId: string, id: string) => ['sessions', keyId, 'one', id];

/** A session by its id, followed closely while it logs in. */
export function useOneSession(id: string) {
  const { client, keyId } = useApi();
  return useQuery({
    queryKey: sessionKey(keyId, id),
    queryFn: ({ signal }) => client.sessions.get(id, { signal }),
    refetchInterval: ({ state }) => (state.data?.is_logging_in ? BUSY_MS : IDLE_MS),
  });
}

/** What a log-in saw. @param captureId the capture that was the log-in, whose picture never changes */
export function useSessionPicture(id: string, captureId: string | null) {
  const { client } = useApi();
  return useQuery({
    queryKey: ['session-picture', id, captureId],
    queryFn: ({ signal }) => client.sessions.picture(id, { signal }),
    staleTime: Infinity,
  });
}

/** The secrets of the request are forgotten as soon as no page shows them. */
export function useCreation() {
  const { client } = useApi();
  const note = useNoteSession();
  return useMutation({
    mutationFn: (session: NewSession) => client.sessions.create(session),
    onSuccess: note,
    gcTime: 0,
  });
}

export function useLogIn(id: string) {
  const { client } = useApi();
  const note = useNoteSession();
  return useMutation({ mutationFn: () => client.sessions.logIn(id), onSuccess: note });
}

export function useDeletion(id: string) {
  const { client, keyId } = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => client.sessions.delete(id),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['sessions', keyId, 'list'] }),
  });
}

function useNoteSession(): (session: SessionRecord) => void {
  const { keyId } = useApi();
  const queries = useQueryClient();
  return (session) => {
    queries.setQueryData(sessionKey(keyId, session.id), session);
    void queries.invalidateQueries({ queryKey: ['sessions', keyId, 'list'] });
  };
}
