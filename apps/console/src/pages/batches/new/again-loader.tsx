import { Alert, Loader } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Link } from 'wouter';
import { useApi } from '../../../api/client.js';
import { count } from '../../../ui/format.js';
import { ProblemAlert } from '../../../ui/problem-alert.js';
import { rowAgain, type RowAgain } from './again.js';
import { rowsSource, type BatchSource } from './sources.js';

interface AgainLoaderProps {
  readonly id: string;
  readonly onSource: (source: BatchSource) => void;
}

/** Takes the rows of an earlier batch, and says which of them could not be taken as they were. */
export function AgainLoader({ id, onSource }: AgainLoaderProps) {
  const { client } = useApi();
  const { data, error } = useQuery({
    queryKey: ['batches', 'again', id],
    queryFn: async ({ signal }) => {
      const rows: (RowAgain | null)[] = [];
      for await (const record of client.bulk.results(id, {}, { signal })) rows.push(rowAgain(record));
      return rows;
    },
    staleTime: Infinity,
    gcTime: 0,
  });
  useEffect(() => {
    const items = data?.flatMap((row) => (row ? [row.item] : [])) ?? [];
    if (items.length > 0) onSource(rowsSource('Rows of an earlier batch', items));
  }, [data, onSource]);
  if (error) return <ProblemAlert error={error} title="The rows of the batch could not be read" />;
  if (!data) return <Loader size="sm" mb="md" role="status" aria-label="Reading the rows of the batch" />;
  const missing = data.filter((row) => row === null).length;
  const lost = new Set(data.flatMap((row) => row?.lost ?? []));
  return (
    <Alert mb="md" color={missing + lost.size > 0 ? 'yellow' : 'gray'} className="breaks">
      These are the rows of <Link href={`/batches/${id}`}>an earlier batch</Link>.
      {lost.size > 0 && ` Without their secrets, which are not kept: ${[...lost].join(', ')}.`}
      {missing > 0 &&
        ` ${count(missing)} of ${count(data.length)} rows are left out: they were not valid, or their HTML is not kept.`}
    </Alert>
  );
}
