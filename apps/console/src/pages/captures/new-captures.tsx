import { Button, VisuallyHidden } from '@mantine/core';
import { ArrowUpIcon } from '@radix-ui/react-icons';
import { useEffect, useRef } from 'react';
import classes from './captures-page.module.css';
import type { Filters } from './filters.js';
import type { Listing } from './listing.js';
import { NEWEST_ROWS, useNewCaptures } from './use-captures.js';

interface NewCapturesProps {
  readonly filters: Filters;
  readonly listing: Listing | undefined;
  readonly restart: () => Promise<void>;
}

/** A person who is farther from the top looks at captures that must not move. */
const AT_TOP_PX = 60;

/** Shows new captures at once to those who are at the top of the list, and offers them to all others. */
export function NewCaptures({ filters, listing, restart }: NewCapturesProps) {
  const number = useNewCaptures(filters, listing);
  const latest = useRef(restart);
  useEffect(() => {
    latest.current = restart;
  });
  useEffect(() => {
    if (number > 0 && isAtTop()) void latest.current();
  }, [number, listing]);
  const text = `${number < NEWEST_ROWS ? number : `${number} or more`} new ${number === 1 ? 'capture' : 'captures'}`;
  const show = async () => {
    // The focus would keep the list where it is.
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    window.scrollTo({ top: 0, behavior: 'instant' });
    await restart();
  };
  return (
    <div className={classes.new}>
      <VisuallyHidden role="status">{number > 0 ? `${text}.` : ''}</VisuallyHidden>
      {number > 0 && (
        <Button radius="xl" leftSection={<ArrowUpIcon aria-hidden />} onClick={() => void show()}>
          {text}
        </Button>
      )}
    </div>
  );
}

/** A person who moves through the gallery by keys keeps what has the focus. */
function isAtTop(): boolean {
  return window.scrollY < AT_TOP_PX && !document.activeElement?.closest('[role=grid]');
}
