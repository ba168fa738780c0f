import { Button, Kbd, Text } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { Link } from 'wouter';
import classes from './captures-page.module.css';
import type { Selection } from './use-selection.js';

/** What has been chosen for a comparison. */
export function CompareBar({ selection }: { readonly selection: Selection }) {
  const { ids, clear } = selection;
  useHotkeys([['Escape', clear, { preventDefault: false }]]);
  const [a, b] = ids;
  return (
    <div role="status" aria-label="Comparison" className={classes.comparison}>
      {a !== undefined && (
        <div className={classes.compare}>
          <Text>
            {b === undefined ? (
              <>
                1 capture selected. Select another one to compare them, with its checkbox or <Kbd>c</Kbd>
              </>
            ) : (
              '2 captures selected'
            )}
          </Text>
          {b !== undefined && (
            <Button component={Link} href={comparePath(a, b)}>
              Compare
            </Button>
          )}
          <Button variant="default" onClick={clear}>
            Clear
          </Button>
        </div>
      )}
    </div>
  );
}

export function comparePath(a: string, b: string): string {
  return `/captures/compare?a=${encodeURIComponent(a)}&b=${encodeURIComponent(b)}`;
}
