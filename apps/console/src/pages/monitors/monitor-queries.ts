import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { MonitorCheck, MonitorRecord, MonitorRequest, MonitorUpdate } from '@capture-service/client';
import { useApi } from '../../api/client.js';

/** Each monitor of a page asks for its latest checks. */
const PAGE_ITEMS = 20;
/** Checks that the strip of a monitor shows. */
export const STRIP = 30;
const CHECKS = 100;
/** How often a monitor is read again while it checks its pages, and otherwise. */
const BUSY_MS = 1_000;
const IDLE_MS = 15_000;

/** The monitors of the account, newest first, page by page. */
export function useMonitors() {
  const { client, keyId } = useApi();
  return useInfiniteQuery({
    queryKey: ['monitors', keyId, 'list'],
    queryFn: ({ pageParam, signal }) =>
      client.monitors.page(
        { limit: PAGE_ITEMS, ...(pageParam !== undefined && { cursor: pageParam }) },
        { signal },
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor: next }) => next ?? undefined,
    refetchInterval: ({ state }) => IDLE_MS * Math.max(1, state.data?.pages.length ?? 1),
  });
}

const monitorKey = (keyId: string, id: string) => ['monitors', keyId, 'one', id];
const checksKey = (keyId: string, id: string) => ['monitors', keyId, 'checks', id];
const isOpen = (check: MonitorCheck | null | undefined): boolean =>
  check !== null && check !== undefined && check.outcome === null;

/** A monitor by its id, followed closely while it checks its pages. */
export function useMonitor(id: string) {
  const { client, keyId } = useApi();
  return useQuery({
    queryKey: monitorKey(keyId, id),
    queryFn: ({ signal }) => client.monitors.get(id, { signal }),
    refetchInterval: ({ state }) => (isOpen(state.data?.last_check) ? BUSY_MS : IDLE_MS),
  });
}

/** The latest checks, for a strip. They are read again when the monitor has another latest one. */
export function useLatestChecks({ id, last_check: last }: MonitorRecord) {
  const { client, keyId } = useApi();
  return useQuery({
    queryKey: [...checksKey(keyId, id), 'strip', last?.id, last?.outcome],
    queryFn: async ({ signal }) => (await client.monitors.checkPage(id, { limit: STRIP }, { signal })).items,
    staleTime: Infinity,
    placeholderData: (before) => before,
  });
}

/** All checks, latest first, page by page. */
export function useChecks({ id, last_check: last }: MonitorRecord) {
  const { client, keyId } = useApi();
  return useInfiniteQuery({
    queryKey: [...checksKey(keyId, id), 'all', last?.id, last?.outcome],
    queryFn: ({ pageParam, signal }) =>
      client.monitors.checkPage(
        id,
        { limit: CHECKS, ...(pageParam !== undefined && { cursor: pageParam }) },
        { signal },
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor: next }) => next ?? undefined,
    placeholderData: (before) => before,
  });
}

/** The next instants of a schedule; undefined while there is none to ask for. */
export function usePreview(schedule: MonitorRequest['schedule'] | undefined) {
  const { client, keyId } = useApi();
  return useQuery({
    queryKey: ['monitors', keyId, 'preview', schedule],
    queryFn: ({ signal }) => client.monitors.preview(schedule ?? {}, { signal }),
    enabled: schedule !== undefined,
    retry: false,
  });
}

/** The addresses of the request are forgotten as soon as no page shows them. */
export function useCreation() {
  const { client } = useApi();
  const note = useNoteMonitor();
  return useMutation({
    mutationFn: (monitor: MonitorRequest) => client.monitors.create(monitor),
    onSuccess: note,
    gcTime: 0,
  });
}

/** Forgets the addresses of the change, as `useCreation` does. */
export function useChange(id: string) {
  const { client } = useApi();
  const note = useNoteMonitor();
  return useMutation({
    mutationFn: (change: MonitorUpdate) => client.monitors.update(id, change),
    onSuccess: note,
    gcTime: 0,
  });
}

export function useAction(id: string) {
  const { client } = useApi();
  const note = useNoteMonitor();
  return useMutation({
    mutationFn: (action: 'run' | 'pause' | 'resume') => client.monitors[action](id),
    onSuccess: note,
  });
}

export function useDeletion(id: string) {
  const { client, keyId } = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => client.monitors.delete(id),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['monitors', keyId, 'list'] }),
  });
}

function useNoteMonitor(): (monitor: MonitorRecord) => void {
  const { keyId } = useApi();
  const queries = useQueryClient();
  return (monitor) => {
    queries.setQueryData(monitorKey(keyId, monitor.id), monitor);
    void queries.invalidateQueries({ queryKey: ['monitors', keyId, 'list'] });
  };
}
