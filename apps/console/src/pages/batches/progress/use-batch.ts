import { hasEnded, type BatchRecord } from '@capture-service/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useApi } from '../../../api/client.js';

/** Pause in ms before a stream that ended is opened again. */
const PAUSE_MS = 1_000;

/**
 * The batch, renewed by its event stream up to its end. When the stream breaks off, the record is read until the API answers
 * again, and then the stream is opened again.
 */
export function useBatch(id: string) {
  const { client, follow } = useApi();
  const queries = useQueryClient();
  const [connection, setConnection] = useState(0);
  const query = useQuery<BatchRecord>({
    queryKey: ['batches', id],
    queryFn: ({ signal }) => client.bulk.get(id, { signal }),
  });
  const isLive = query.data !== undefined && !hasEnded(query.data);
  useEffect(() => {
    if (!isLive) return;
    let timer: ReturnType<typeof setTimeout>;
    let isOver = false;
    const source = follow(`/v1/bulk/${id}/events`);
    source.addEventListener('batch', ({ data }: MessageEvent<string>) => {
      queries.setQueryData(['batches', id], JSON.parse(data) as BatchRecord);
    });
    const reconnect = async (): Promise<void> => {
      await queries.refetchQueries({ queryKey: ['batches', id], exact: true });
      if (!isOver) setConnection((old) => old + 1);
    };
    source.addEventListener('error', () => {
      source.close();
      timer = setTimeout(() => void reconnect(), PAUSE_MS);
    });
    return () => {
      isOver = true;
      clearTimeout(timer);
      source.close();
    };
  }, [id, isLive, connection, queries, follow]);
  return query;
}
