import { CaptureError } from '@capture-service/client';
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { connection } from './connection.js';

const FRESH_MS = 2_000;
const MAX_PAUSE_MS = 10_000;

const noteFailure = (error: unknown): void => {
  if (isOutage(error)) connection.set(false);
};
const noteSuccess = (): void => connection.set(true);

/** Whether the service did not answer, which it may soon. */
function isOutage(error: unknown): boolean {
  return error instanceof CaptureError && (error.code === 'connection_failed' || error.code === 'timeout');
}

/** What has been read from the API. While the API is gone, reads are repeated until it is back. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noteFailure, onSuccess: noteSuccess }),
  mutationCache: new MutationCache({ onError: noteFailure, onSuccess: noteSuccess }),
  defaultOptions: {
    queries: {
      // The service may be on this computer, which may have no network.
      networkMode: 'always',
      staleTime: FRESH_MS,
      retry: (_, error) => {
        noteFailure(error);
        return isOutage(error);
      },
      retryDelay: (attempt) => Math.min(1_000 * 2 ** attempt, MAX_PAUSE_MS),
    },
    // A capture is submitted once; the client itself repeats what is safe to repeat.
    mutations: { networkMode: 'always', retry: false },
  },
});
