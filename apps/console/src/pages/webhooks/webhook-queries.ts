import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { DeliveryFilters, DeliveryRecord } from '@capture-service/client';
import { useApi } from '../../api/client.js';

const PAGE_ITEMS = 50;
/** All pages that are shown are read again; the more there are, the more rarely. */
const LIST_MS_PER_PAGE = 3_000;
const PENDING_MS = 700;
const ENDED_MS = 10_000;

export type ListFilters = Pick<DeliveryFilters, 'state' | 'type'>;

/** The deliveries of the account, newest first, page by page. */
export function useDeliveries(filters: ListFilters) {
  const { client, keyId } = useApi();
  return useInfiniteQuery({
    queryKey: ['webhooks', keyId, 'deliveries', filters],
    queryFn: ({ pageParam, signal }) =>
      client.webhooks.deliveryPage(
        { ...filters, limit: PAGE_ITEMS, ...(pageParam !== null && { cursor: pageParam }) },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: ({ state }) => LIST_MS_PER_PAGE * (state.data?.pages.length ?? 1),
  });
}

const deliveryKey = (keyId: string, id: string) => ['webhooks', keyId, 'delivery', id];

/** A delivery, followed closely while it is pending. */
export function useDelivery(id: string) {
  const { client, keyId } = useApi();
  return useQuery({
    queryKey: deliveryKey(keyId, id),
    queryFn: ({ signal }) => client.webhooks.delivery(id, { signal }),
    refetchInterval: ({ state }) => (state.data?.state === 'pending' ? PENDING_MS : ENDED_MS),
  });
}

export function useReplay(id: string) {
  const { client } = useApi();
  const note = useNoteDelivery();
  return useMutation({ mutationFn: () => client.webhooks.replay(id), onSuccess: note });
}

/** Sends a test to a URL, and knows its delivery at once. */
export function useTest() {
  const { client } = useApi();
  const note = useNoteDelivery();
  return useMutation({ mutationFn: (url: string) => client.webhooks.test({ url }), onSuccess: note });
}

function useNoteDelivery(): (delivery: DeliveryRecord) => void {
  const { keyId } = useApi();
  const queries = useQueryClient();
  return (delivery) => {
    queries.setQueryData(deliveryKey(keyId, delivery.id), delivery);
    void queries.invalidateQueries({ queryKey: ['webhooks', keyId, 'deliveries'] });
  };
}

/** The secret is forgotten as soon as no page shows it. */
export function useSecret() {
  const { client, keyId } = useApi();
  return useQuery({
    queryKey: ['webhooks', keyId, 'secret'],
    queryFn: ({ signal }) => client.webhooks.secret({ signal }),
    gcTime: 0,
  });
}

export function useRotation() {
  const { client, keyId } = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => client.webhooks.rotateSecret(),
    onSuccess: (secret) => queries.setQueryData(['webhooks', keyId, 'secret'], secret),
    gcTime: 0,
  });
}
