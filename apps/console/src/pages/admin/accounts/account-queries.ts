import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { CaptureError, type AccountChangeRequest, type AccountRecord } from '@capture-service/client';
import type { NewAccountRequest } from '@capture-service/client';
import { useApi } from '../../../api/client.js';

const PAGE_ITEMS = 50;
/** How often an account is read again while it is deleted, and otherwise; a list for each page that is loaded. */
const DELETING_MS = 2_000;
const IDLE_MS = 10_000;
/** Names of accounts never change. */
const NAME_MS = 600_000;

/** All accounts, newest first, page by page. */
export function useAccounts() {
  const { client, keyId } = useApi();
  return useInfiniteQuery({
    queryKey: ['admin', keyId, 'accounts'],
    queryFn: ({ pageParam, signal }) =>
      client.admin.accountPage(
        { limit: PAGE_ITEMS, ...(pageParam !== null && { cursor: pageParam }) },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: ({ state }) => IDLE_MS * Math.max(1, state.data?.pages.length ?? 1),
  });
}

const accountKey = (keyId: string, id: string) => ['admin', keyId, 'account', id];

/** Whether the service has no such account, or no longer. */
export function isGone(error: unknown): boolean {
  return error instanceof CaptureError && error.code === 'not_found';
}

/** An account by its id, followed closely while it is deleted. */
export function useAccount(id: string) {
  const { client, keyId } = useApi();
  return useQuery({
    queryKey: accountKey(keyId, id),
    queryFn: ({ signal }) => client.admin.account(id, { signal }),
    refetchInterval: ({ state }) => {
      if (isGone(state.error)) return false;
      return state.data?.state === 'deleting' ? DELETING_MS : IDLE_MS;
    },
  });
}

/** The name of an account; its id until it is known, and for one that is deleted. */
export function useAccountName(id: string): string {
  const { client, keyId } = useApi();
  const { data } = useQuery({
    queryKey: ['admin', keyId, 'account-name', id],
    queryFn: async ({ signal }) => (await client.admin.account(id, { signal })).name,
    staleTime: NAME_MS,
  });
  return data ?? id;
}

export function useAccountCreation() {
  const { client } = useApi();
  const note = useNoteAccount();
  return useMutation({
    mutationFn: (account: NewAccountRequest) => client.admin.createAccount(account),
    onSuccess: note,
  });
}

export function useAccountChange(id: string) {
  const { client } = useApi();
  const note = useNoteAccount();
  return useMutation({
    mutationFn: (change: AccountChangeRequest) => client.admin.changeAccount(id, change),
    onSuccess: note,
  });
}

export function usePause(id: string) {
  const { client } = useApi();
  const note = useNoteAccount();
  return useMutation({ mutationFn: () => client.admin.pauseAccount(id), onSuccess: note });
}

export function useResumption(id: string) {
  const { client } = useApi();
  const note = useNoteAccount();
  return useMutation({ mutationFn: () => client.admin.resumeAccount(id), onSuccess: note });
}

export function useAccountDeletion(id: string) {
  const { client } = useApi();
  const note = useNoteAccount();
  return useMutation({ mutationFn: () => client.admin.deleteAccount(id), onSuccess: note });
}

function useNoteAccount(): (account: AccountRecord) => void {
  const { keyId } = useApi();
  const queries = useQueryClient();
  return (account) => {
    queries.setQueryData(accountKey(keyId, account.id), account);
    for (const list of ['accounts', 'keys', 'audit']) {
      void queries.invalidateQueries({ queryKey: ['admin', keyId, list] });
    }
  };
}
