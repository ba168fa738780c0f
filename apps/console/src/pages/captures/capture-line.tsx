import { Skeleton } from '@mantine/core';
import { memo, type ReactNode } from 'react';
import { Link } from 'wouter';
import { bytes, duration } from '../../ui/format.js';
import { StatusBadge } from '../../ui/status-badge.js';
import type { CellProps } from './capture-card.js';
import classes from './capture-line.module.css';
import { nameOf, subtitleOf, type CaptureRow } from '../../capture-record/capture-row.js';
import { CHOICES } from './filters.js';
import { ListTime } from './list-time.js';
import { PickBox } from './pick-box.js';
import { RowBadges } from './row-badges.js';
import { Thumbnail } from '../../capture-record/thumbnail.js';

interface Column {
  readonly label: string;
  readonly className: string | undefined;
  readonly cell: (row: CaptureRow) => ReactNode;
}

const COLUMNS: readonly Column[] = [
  { label: 'Status', className: classes.status, cell: (row) => <Status row={row} /> },
  { label: 'Format', className: classes.format, cell: (row) => CHOICES.format?.[row.format] ?? row.format },
  { label: 'Source', className: classes.source, cell: (row) => CHOICES.source?.[row.source] ?? row.source },
  { label: 'Reference', className: classes.reference, cell: (row) => <bdi>{row.reference}</bdi> },
  { label: 'Size', className: classes.number, cell: (row) => (row.bytes === null ? '' : bytes(row.bytes)) },
  {
    label: 'Time',
    className: classes.number,
    cell: (row) => (row.totalMs === null ? '' : duration(row.totalMs)),
  },
  { label: 'Created', className: classes.created, cell: (row) => <ListTime iso={row.createdAt} /> },
];

/** The heads of the columns of the table. */
export function TableHead() {
  return (
    <div role="row" aria-rowindex={1} className={`${classes.line} ${classes.head}`}>
      <span role="columnheader" className={classes.pick} aria-label="Selected" />
      <span role="columnheader">Capture</span>
      {COLUMNS.map(({ label, className }) => (
        <span key={label} role="columnheader" className={className}>
          {label}
        </span>
      ))}
    </div>
  );
}

/** The cells of a capture in the table. */
export const CaptureLine = memo(function CaptureLine(props: CellProps) {
  const { row, index, isActive, isSelected, isPaused, onActive, onToggle } = props;
  if (!row) {
    return (
      <div role="gridcell" aria-label="Loading" className={classes.loading}>
        <Skeleton h={12} w="60%" />
      </div>
    );
  }
  const name = nameOf(row);
  return (
    <>
      <span role="gridcell" className={classes.pick}>
        <PickBox name={name} isSelected={isSelected} onToggle={() => onToggle(row.id)} />
      </span>
      <span role="gridcell" aria-selected={isSelected} className={classes.capture}>
        <span className={classes.thumbnail} aria-hidden>
          <Thumbnail row={row} isPaused={isPaused} />
        </span>
        <Link
          href={`/captures/${row.id}`}
          className={classes.link}
          data-index={index}
          tabIndex={isActive ? 0 : -1}
          onFocus={() => onActive(index)}
        >
          <bdi className={classes.name}>{name}</bdi>
          <bdi className={classes.url}>{subtitleOf(row)}</bdi>
        </Link>
      </span>
      {COLUMNS.map(({ label, className, cell }) => (
        <span key={label} role="gridcell" className={className}>
          {cell(row)}
        </span>
      ))}
    </>
  );
});

function Status({ row }: { readonly row: CaptureRow }) {
  return (
    <>
      <StatusBadge status={row.status} />
      <RowBadges row={row} />
    </>
  );
}
