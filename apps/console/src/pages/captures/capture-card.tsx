import { Badge, Skeleton } from '@mantine/core';
import { memo } from 'react';
import { Link } from 'wouter';
import { CHOICES } from './filters.js';
import { nameOf, subtitleOf, type CaptureRow } from '../../capture-record/capture-row.js';
import classes from './capture-card.module.css';
import { ListTime } from './list-time.js';
import { PickBox } from './pick-box.js';
import { RowBadges } from './row-badges.js';
import { Thumbnail } from '../../capture-record/thumbnail.js';

export interface CellProps {
  readonly row: CaptureRow | undefined;
  readonly index: number;
  /** Whether Tab leads here. */
  readonly isActive: boolean;
  readonly isSelected: boolean;
  readonly isPaused: boolean;
  readonly onActive: (index: number) => void;
  readonly onToggle: (id: string) => void;
}

/** A capture in the gallery. */
export const CaptureCard = memo(function CaptureCard(props: CellProps) {
  const { row, index, isActive, isSelected, isPaused, onActive, onToggle } = props;
  if (!row) return <EmptyCard />;
  const name = nameOf(row);
  return (
    <div role="gridcell" aria-selected={isSelected} className={classes.card} data-status={row.status}>
      <Link
        href={`/captures/${row.id}`}
        className={classes.link}
        data-index={index}
        tabIndex={isActive ? 0 : -1}
        onFocus={() => onActive(index)}
      >
        <Thumbnail row={row} isPaused={isPaused} />
        <span className={classes.texts}>
          <span className={classes.name}>
            <bdi>{name}</bdi>
          </span>
          <span className={classes.url}>
            <bdi>{subtitleOf(row)}</bdi>
          </span>
          <CardFacts row={row} />
        </span>
      </Link>
      <PickBox
        className={classes.pick}
        name={name}
        isSelected={isSelected}
        onToggle={() => onToggle(row.id)}
      />
    </div>
  );
});

function CardFacts({ row }: { readonly row: CaptureRow }) {
  return (
    <span className={classes.facts}>
      {row.errorCode === null ? (
        <span>{CHOICES.format?.[row.format] ?? row.format}</span>
      ) : (
        <Badge color="red">{row.errorCode}</Badge>
      )}
      <RowBadges row={row} />
      <span className={classes.when}>
        <ListTime iso={row.createdAt} />
      </span>
    </span>
  );
}

function EmptyCard() {
  return (
    <div role="gridcell" aria-label="Loading" className={classes.card}>
      <Skeleton className={classes.emptyPicture} radius={0} />
      <span className={classes.texts}>
        <Skeleton h={12} w="70%" mt={4} />
        <Skeleton h={10} w="90%" mt={8} />
        <Skeleton h={10} w="40%" mt={8} />
      </span>
    </div>
  );
}
