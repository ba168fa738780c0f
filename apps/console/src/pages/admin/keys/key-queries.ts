import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { KeyChangeRequest, NewKeyRequest } from '@capture-service/client';
import { useApi } from '../../../api/client.js';

const PAGE_ITEMS = 50;
const RENEWED_MS = 10_000;

/** The keys of all accounts, or of one, newest first, page by page. */
export function useKeys(accountId?: string) {
  const { client, keyId } = useApi();
  return useInfiniteQuery({
    queryKey: ['admin', keyId, 'keys', accountId],
    queryFn: ({ pageParam, signal }) => {
      const filters = { limit: PAGE_ITEMS, ...(accountId !== undefined && { account_id: accountId }) };
      return client.admin.keyPage(
        { ...filters, ...(pageParam !== null && { cursor: pageParam }) },
        { signal },
      );
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: ({ state }) => RENEWED_MS * Math.max(1, state.data?.pages.length ?? 1),
  });
}

export function useKey(id: string) {
  const { client, keyId } = useApi();
  return useQuery({
    queryKey: ['admin', keyId, 'key', id],
    queryFn: ({ signal }) => client.admin.key(id, { signal }),
    refetchInterval: RENEWED_MS,
  });
}

/** The key that was made is forgotten as soon as no page shows it. */
export function useKeyCreation() {
  const { client } = useApi();
  const reread = useRereading();
  return useMutation({
    mutationFn: (key: NewKeyRequest) => client.admin.createKey(key),
    onSuccess: reread,
    gcTime: 0,
  });
}

/** The new secret is forgotten as soon as no page shows it. */
export function useKeyRotation(id: string) {
  const { client } = useApi();
  const reread = useRereading();
  return useMutation({
    mutationFn: (overlapS: number) => client.admin.rotateKey(id, { overlap_s: overlapS }),
    onSuccess: reread,
    gcTime: 0,
  });
}

export function useKeyChange(id: string) {
  const { client } = useApi();
  const reread = useRereading();
  return useMutation({
    mutationFn: (change: KeyChangeRequest) => client.admin.changeKey(id, change),
    onSuccess: reread,
  });
}

export function useRevocation(id: string) {
  const { client } = useApi();
  const reread = useRereading();
  return useMutation({ mutationFn: () => client.admin.revokeKey(id), onSuccess: reread });
}

/** What is shown of keys is read again. The answer of a change is not kept: it may have a key in it. */
function useRereading(): () => void {
  const { keyId } = useApi();
  const queries = useQueryClient();
  return () => {
    for (const what of ['key', 'keys', 'audit']) {
      void queries.invalidateQueries({ queryKey: ['admin', keyId, what] });
    }
  };
}
