import { Box, Button } from '@mantine/core';
import { CameraIcon } from '@radix-ui/react-icons';
import { useMemo } from 'react';
import { Link, useSearchParams } from 'wouter';
import { PageHeader } from '../../ui/page-header.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { CapturesBar } from './captures-bar.js';
import { CapturesGrid } from './captures-grid.js';
import classes from './captures-page.module.css';
import { CompareBar } from './compare-bar.js';
import { filtersOf, type Filters } from './filters.js';
import { NoCaptures, NoMatches } from './no-captures.js';
import { NewCaptures } from './new-captures.js';
import { useListing } from './use-captures.js';
import type { View } from './use-grid.js';
import { useSelection } from './use-selection.js';

/** The history of the account, as a gallery or a table. */
export default function CapturesPage() {
  const [query] = useSearchParams();
  const text = query.toString();
  const filters = useMemo(() => filtersOf(new URLSearchParams(text)), [text]);
  const view: View = query.get('view') === 'table' ? 'table' : 'gallery';
  return (
    <>
      <PageHeader title="Captures">
        <Button component={Link} href="/capture" leftSection={<CameraIcon aria-hidden />}>
          New capture
        </Button>
      </PageHeader>
      <CapturesBar filters={filters} view={view} />
      <List key={`${view} ${JSON.stringify(filters)}`} filters={filters} view={view} />
    </>
  );
}

function List({ filters, view }: { readonly filters: Filters; readonly view: View }) {
  const { data: listing, error, refetch } = useListing(filters);
  const selection = useSelection();
  const restart = async () => void (await refetch());
  if (error && !listing)
    return (
      <ProblemAlert error={error} title="The captures cannot be loaded" onRetry={() => void restart()} />
    );
  const isEmpty = listing?.first.length === 0;
  return (
    <Box pos="relative" className={classes.list}>
      <NewCaptures filters={filters} listing={listing} restart={restart} />
      {!isEmpty && <CapturesGrid filters={filters} listing={listing} view={view} selection={selection} />}
      {isEmpty && (Object.keys(filters).length === 0 ? <NoCaptures /> : <NoMatches />)}
      <CompareBar selection={selection} />
    </Box>
  );
}
