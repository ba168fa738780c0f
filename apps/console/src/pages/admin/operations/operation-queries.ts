import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useApi } from '../../../api/client.js';

/** How often what changes by itself is read again. */
const BUSY_MS = 5_000;
const CALM_MS = 30_000;

/** The workers that are alive. */
export function useWorkers() {
  const { client, keyId } = useApi();
  return useQuery({
    queryKey: ['admin', keyId, 'workers'],
    queryFn: ({ signal }) => client.admin.workers({ signal }),
    refetchInterval: BUSY_MS,
  });
}

/** Drains a worker, or has it take captures again. */
export function useDrain(id: string, drain: boolean) {
  const { client, keyId } = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => (drain ? client.admin.drainWorker(id) : client.admin.resumeWorker(id)),
    onSuccess: () => {
      for (const list of ['workers', 'audit']) {
        void queries.invalidateQueries({ queryKey: ['admin', keyId, list] });
      }
    },
  });
}

/** What waits and runs. */
export function useQueue() {
  const { client, keyId } = useApi();
  return useQuery({
    queryKey: ['admin', keyId, 'queue'],
    queryFn: ({ signal }) => client.admin.queue({}, { signal }),
    refetchInterval: BUSY_MS,
  });
}

export function useBatchCancellation(id: string) {
  const { client, keyId } = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => client.admin.cancelBatch(id),
    onSuccess: () => {
      for (const list of ['queue', 'audit']) {
        void queries.invalidateQueries({ queryKey: ['admin', keyId, list] });
      }
    },
  });
}

/** The settings, which change only when the service starts. */
export function useSettings() {
  const { client, keyId } = useApi();
  return useQuery({
    queryKey: ['admin', keyId, 'settings'],
    queryFn: ({ signal }) => client.admin.settings({ signal }),
  });
}

/** The changes of the dependencies in the last days. */
export function useHealthHistory(days: number) {
  const { client, keyId } = useApi();
  return useQuery({
    queryKey: ['admin', keyId, 'health', days],
    queryFn: ({ signal }) => client.admin.health({ days }, { signal }),
    refetchInterval: CALM_MS,
  });
}
