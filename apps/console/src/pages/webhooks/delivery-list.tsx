import { Loader, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import type { DeliveryItem } from '@capture-service/client';
import { memo, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { StatusBadge } from '../../ui/status-badge.js';
import { TimeText } from '../../ui/time-text.js';
import classes from './webhooks.module.css';

const ROW_PX = 40;
const NARROW_ROW_PX = 76;
const ROWS_BEFORE_END = 20;

interface DeliveryListProps {
  readonly items: readonly DeliveryItem[];
  readonly hasMore: boolean;
  /** Reads the next page; called also while it is being read. */
  readonly onEnd: () => void;
}

/** Rows of deliveries. Only those in sight are in the document, and the next page is read before its rows are. */
export function DeliveryList({ items, hasMore, onEnd }: DeliveryListProps) {
  const { list, rows, top } = useRowsInSight(items.length);
  const shown = rows.getVirtualItems();
  const isNearEnd = hasMore && (shown.at(-1)?.index ?? 0) >= items.length - ROWS_BEFORE_END;
  useEffect(() => {
    if (isNearEnd) onEnd();
  }, [isNearEnd, onEnd, items.length]);
  return (
    <div className={classes.list}>
      <Head />
      <ul ref={list} className={classes.rows} aria-label="Deliveries" style={{ height: rows.getTotalSize() }}>
        {shown.map(({ index, key, size, start }) => {
          const item = items[index];
          if (!item) return null;
          const style = { height: size, transform: `translateY(${start - top}px)` };
          return (
            <li
              key={key}
              className={classes.row}
              style={style}
              aria-setsize={hasMore ? -1 : items.length}
              aria-posinset={index + 1}
            >
              <Row item={item} />
            </li>
          );
        })}
      </ul>
      {hasMore && <Loader size="xs" m="md" role="status" aria-label="Loading more" />}
    </div>
  );
}

/** The rows in sight of the window, and where their list begins on the page. */
function useRowsInSight(count: number) {
  const list = useRef<HTMLUListElement>(null);
  const isNarrow = useMediaQuery('(max-width: 62em)') ?? false;
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const box = list.current?.getBoundingClientRect();
    setTop(box ? box.top + window.scrollY : 0);
  }, [count]);
  const rows = useWindowVirtualizer({
    count,
    estimateSize: () => (isNarrow ? NARROW_ROW_PX : ROW_PX),
    overscan: 8,
    scrollMargin: top,
  });
  useEffect(() => rows.measure(), [rows, isNarrow]);
  return { list, rows, top };
}

function Head() {
  return (
    <div className={`${classes.columns} ${classes.head}`} aria-hidden>
      <span>State</span>
      <span>Event</span>
      <span>Endpoint</span>
      <span>Attempts</span>
      <span>Created</span>
    </div>
  );
}

const Row = memo(({ item }: { readonly item: DeliveryItem }) => (
  <Link href={`/webhooks/${item.id}`} className={`${classes.columns} ${classes.delivery}`}>
    <span className={classes.state}>
      <StatusBadge status={item.state} />
    </span>
    <span className={classes.type}>{item.type}</span>
    <bdi className={classes.url} title={item.url}>
      {item.url}
    </bdi>
    <Text span c="dimmed" className="numeric">
      {attemptsText(item)}
    </Text>
    <Text span c="dimmed">
      <TimeText iso={item.created_at} />
    </Text>
  </Link>
));
Row.displayName = 'Row';

function attemptsText({ attempts, last_status: status }: DeliveryItem): string {
  if (attempts === 0) return 'none yet';
  return `${attempts} · ${status === null ? 'no response' : `last ${status}`}`;
}
