import { Center, Loader, MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { Router, useLocation } from 'wouter';
import { useSearch } from 'wouter/use-browser-location';
import { ApiContext, apiOf } from './api/client.js';
import { queryClient } from './api/query-client.js';
import { LogInPage } from './session/log-in-page.js';
import { useSession } from './session/session-context.js';
import { SessionProvider } from './session/session-provider.js';
import { Shell } from './shell/shell.js';
import { cssVariables, theme } from './ui/theme.js';

/** Where the console is served. */
const BASE = '/console';

/** The nonce with which this page may add styles; the service puts it into the page. */
export function styleNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
}

export function Console() {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      getStyleNonce={styleNonce}
    >
      <Notifications position="bottom-right" limit={3} />
      <QueryClientProvider client={queryClient}>
        <Router base={BASE} searchHook={useRawSearch}>
          <SessionProvider>
            <SessionGate />
          </SessionProvider>
        </Router>
      </QueryClientProvider>
    </MantineProvider>
  );
}

/** Shows the console to those who are logged in, and the log-in page to everybody else. */
function SessionGate() {
  const { current, isLoading, end } = useSession();
  const [location] = useLocation();
  const api = useMemo(() => (current ? apiOf(current, end) : null), [current, end]);
  useForgottenData(current?.id);
  if (isLoading) {
    return (
      <Center mih="60vh">
        <Loader size="sm" role="status" aria-label="Loading" />
      </Center>
    );
  }
  if (!api || location === '/log-in') return <LogInPage />;
  return (
    <ApiContext value={api}>
      <Shell key={api.keyId} />
    </ApiContext>
  );
}

/** What one account has read is not shown to another. */
function useForgottenData(keyId: string | undefined): void {
  const queries = useQueryClient();
  useEffect(
    () => () => queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' }),
    [queries, keyId],
  );
}

/**
 * The query of the address for wouter, which decodes it before URLSearchParams does. Escaped once more it comes out as
 * it is in the address; otherwise a %, & or + in a value would be lost.
 */
function useRawSearch(): string {
  return useSearch().replaceAll('%', '%25');
}
