import { Alert, AppShell, Box, Burger, Button, Group, Loader, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Suspense, useEffect, useLayoutEffect, useRef } from 'react';
import { Link, Redirect, Route, Switch, useLocation } from 'wouter';
import { useApi, type Scope } from '../api/client.js';
import { useIsConnected } from '../api/connection.js';
import { EmptyState } from '../ui/empty-state.js';
import { ErrorBoundary } from '../ui/error-boundary.js';
import { PageHeader } from '../ui/page-header.js';
import { AccountMenu } from './account-menu.js';
import icon from './icon.svg';
import { PAGES, SECTIONS, type Section } from './pages.js';
import classes from './shell.module.css';
import { ShortcutHelp, Shortcuts } from './shortcuts.js';

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
        <Sidebar isOpen={isOpen} onToggle={toggle} />
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

interface SidebarProps {
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

function Sidebar({ isOpen, onToggle }: SidebarProps) {
  return (
    <>
      <Group justify="space-between" mb="md" px={6}>
        <Brand />
        <Burger
          opened={isOpen}
          onClick={onToggle}
          size="sm"
          hiddenFrom="sm"
          aria-label="Close the navigation"
        />
      </Group>
      <Navigation />
      <Box mt="auto">
        <AccountMenu />
      </Box>
    </>
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

function isAllowed(scopes: readonly Scope[], scope: Scope | undefined): boolean {
  return scope === undefined || scopes.includes(scope);
}

/** The first page that the key can fill. */
function homeOf(scopes: readonly Scope[]): string {
  if (scopes.includes('read')) return '/captures';
  return SECTIONS.find(({ scope }) => scope !== undefined && scopes.includes(scope))?.path ?? '/status';
}

function NotForThisKey() {
  return (
    <>
      <PageHeader title="For operators" />
      <Text>
        This page is for operators: it needs a key with the scope admin, which the key in use does not have.
      </Text>
    </>
  );
}

function Page({ location }: { readonly location: string }) {
  const { scopes } = useApi();
  return (
    <ErrorBoundary key={location}>
      <Suspense fallback={<Loader size="sm" role="status" aria-label="Loading" />}>
        <Switch>
          <Route path="/">
            <Redirect to={homeOf(scopes)} replace />
          </Route>
          {PAGES.map(({ path, page, scope }) => (
            <Route key={path} path={path} component={isAllowed(scopes, scope) ? page : NotForThisKey} />
          ))}
          <Route>
            <NotFound />
          </Route>
        </Switch>
      </Suspense>
    </ErrorBoundary>
  );
}

function Brand() {
  const { scopes } = useApi();
  return (
    <Link href={homeOf(scopes)} className={classes.brand}>
      <img src={icon} alt="" width={20} height={20} />
      Capture Service
    </Link>
  );
}

function Navigation() {
  const { scopes } = useApi();
  const sections = SECTIONS.filter(({ scope }) => isAllowed(scopes, scope));
  const forOperators = sections.filter(({ scope }) => scope === 'admin');
  return (
    <Stack component="nav" gap={2} aria-label="Pages">
      {sections
        .filter(({ scope }) => scope !== 'admin')
        .map((section) => (
          <SectionLink key={section.path} {...section} />
        ))}
      {forOperators.length > 0 && (
        <Text size="xs" c="dimmed" px={8} mt="sm">
          Operators
        </Text>
      )}
      {forOperators.map((section) => (
        <SectionLink key={section.path} {...section} />
      ))}
    </Stack>
  );
}

function SectionLink({ path, label, icon: Icon }: Section) {
  const [location] = useLocation();
  const isCurrent = location === path || location.startsWith(`${path}/`);
  return (
    <Link href={path} className={classes.link} aria-current={isCurrent ? 'page' : undefined}>
      <Icon aria-hidden />
      {label}
    </Link>
  );
}

/** A page that a link leads to begins at its top. Going back leads to where the reader was, which the browser or the page keeps. */
function useTopOfNewPages(location: string): void {
  const isBack = useRef(false);
  useEffect(() => {
    const note = () => {
      isBack.current = true;
    };
    // Before the router hears of it, which changes the page at once.
    window.addEventListener('popstate', note, { capture: true });
    return () => window.removeEventListener('popstate', note, { capture: true });
  }, []);
  useLayoutEffect(() => {
    if (!isBack.current) window.scrollTo({ top: 0, behavior: 'instant' });
    isBack.current = false;
  }, [location]);
}
