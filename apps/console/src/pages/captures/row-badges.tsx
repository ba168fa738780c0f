import { Badge } from '@mantine/core';
import { CHOICES } from './filters.js';
import type { CaptureRow } from '../../capture-record/capture-row.js';

/** What is worth to be noticed about a capture: that it is not the page that was meant, or has changed. */
export function RowBadges({ row }: { readonly row: CaptureRow }) {
  const { verdict, changed } = row;
  return (
    <>
      {changed === true && <Badge color="indigo">Changed</Badge>}
      {verdict !== null && verdict !== 'page' && (
        <Badge color="orange">{CHOICES.verdict?.[verdict] ?? verdict}</Badge>
      )}
    </>
  );
}
