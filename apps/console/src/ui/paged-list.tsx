import { Button, Skeleton } from '@mantine/core';
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ProblemAlert } from './problem-alert.js';

interface Page<Item> {
  readonly items: readonly Item[];
}

interface PagedListProps<Item> {
  readonly query: UseInfiniteQueryResult<InfiniteData<Page<Item>>>;
  /** What the button says that reads on, such as "Show older keys". */
  readonly more: string;
  /** Stands in place of an empty list. */
  readonly empty: ReactNode;
  readonly children: (items: readonly Item[]) => ReactNode;
}

/** A list that is read page by page: what is read so far, a way to the rest, and what failed. */
export function PagedList<Item>({ query, more, empty, children }: PagedListProps<Item>) {
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage, refetch } = query;
  const items = data?.pages.flatMap((page) => page.items);
  return (
    <>
      {error && !items && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      {!error && !items && <Skeleton h="12rem" role="status" aria-label="Loading" />}
      {items?.length === 0 && empty}
      {items && items.length > 0 && children(items)}
      {hasNextPage && (
        <Button variant="default" mt="md" onClick={() => void fetchNextPage()} loading={isFetchingNextPage}>
          {more}
        </Button>
      )}
    </>
  );
}
