import { Skeleton } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ProblemAlert } from '../../../ui/problem-alert.js';

interface LoadedProps<Data> {
  readonly query: UseQueryResult<Data>;
  readonly children: (data: Data) => ReactNode;
}

/** What was read, what failed, or that it is being read. */
export function Loaded<Data>({ query: { data, error, refetch }, children }: LoadedProps<Data>) {
  if (data !== undefined) return children(data);
  if (error) return <ProblemAlert error={error} onRetry={() => void refetch()} />;
  return <Skeleton h="24rem" role="status" aria-label="Loading" />;
}
