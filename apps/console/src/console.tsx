import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { Router } from 'wouter';
import { queryClient } from './api/query-client.js';
import { SessionProvider } from './session/session-provider.js';
import { SessionGate } from './session/session-gate.js';
import { useRawSearch } from './shell/use-raw-search.js';
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
