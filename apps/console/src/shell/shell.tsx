import { Alert, AppShell, Box, Burger, Button, Group, Loader } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Suspense, useEffect } from 'react';
import { Link, Redirect, Route, Switch, useLocation } from 'wouter';
import { useIsConnected } from '../api/connection.js';
import { EmptyState } from '../ui/empty-state.js';
import { ErrorBoundary } from '../ui/error-boundary.js';
import { PageHeader } from '../ui/page-header.js';
import { AccountMenu } from './account-menu.js';
import { Brand } from './brand.js';
import { Navigation } from './navigation.js';
import { PAGES } from './pages.js';
import { ShortcutHelp } from './shortcut-help.js';
import { Shortcuts } from './shortcuts.js';
import { useTopOfNewPages } from './use-top-of-new-pages.js';
import classes from './shell.module.css';

/** The frame of every page: navigation, account, and the page of the address. */
export function Shell() {
  const [isOpen, { toggle, close }] = useDisclosure();
  const [location] = useLocation();
  useEffect(close, [location, close]);
  useTopOfNewPages(location);
  return (
    <AppShell
      layout="alt"
      header={{ height: { base: 48, sm: 0 } }}
      navbar={{ width: 208, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding="md"
    >
      <a href="#page" className={classes.skip}>
        Skip to the page
      </a>
      <AppShell.Header hiddenFrom="sm" className={classes.header}>
        <Group h="100%" px="md" gap="sm">
          <Burger opened={isOpen} onClick={toggle} size="sm" aria-label="Navigation" aria-expanded={isOpen} />
          <Brand />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar className={classes.navbar}>
        <Group justify="space-between" mb="md" px={6}>
          <Brand />
          <Burger
            opened={isOpen}
            onClick={toggle}
            size="sm"
            hiddenFrom="sm"
            aria-label="Close the navigation"
          />
        </Group>
        <Navigation />
        <Box mt="auto">
          <AccountMenu />
        </Box>
      </AppShell.Navbar>
      <AppShell.Main id="page" tabIndex={-1} className={classes.main}>
        <Outage />
        <Shortcuts />
        <ShortcutHelp />
        <Page location={location} />
      </AppShell.Main>
    </AppShell>
  );
}

function NotFound() {
  return (
    <>
      <PageHeader title="Not found" />
      <EmptyState
        title="There is no such page"
        action={
          <Button component={Link} href="/captures">
            Show the captures
          </Button>
        }
      >
        The address may be mistyped, or the page may have moved.
      </EmptyState>
    </>
  );
}

function Outage() {
  if (useIsConnected()) return null;
  return (
    <Alert color="yellow" mb="md" role="status">
      The service does not answer, so this page may be out of date. It updates as soon as the service is back.
    </Alert>
  );
}

function Page({ location }: { readonly location: string }) {
  return (
    <ErrorBoundary key={location}>
      <Suspense fallback={<Loader size="sm" role="status" aria-label="Loading" />}>
        <Switch>
          <Route path="/">
            <Redirect to="/captures" replace />
          </Route>
          {PAGES.map(({ path, page }) => (
            <Route key={path} path={path} component={page} />
          ))}
          <Route>
            <NotFound />
          </Route>
        </Switch>
      </Suspense>
    </ErrorBoundary>
  );
}
