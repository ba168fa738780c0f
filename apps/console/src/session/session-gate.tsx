import { Center, Loader } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { useLocation } from 'wouter';
import { apiOf, ApiContext } from '../api/client.js';
import { Shell } from '../shell/shell.js';
import { useSession } from './session-context.js';
import { LogInPage } from './log-in-page.js';

/** Shows the console to those who are logged in, and the log-in page to everybody else. */
export function SessionGate() {
  const { current, isLoading, end } = useSession();
  const [location] = useLocation();
  const keyId = current?.id;
  const api = useMemo(() => (keyId === undefined ? null : apiOf(keyId, end)), [keyId, end]);
  useForgottenData(keyId);
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
