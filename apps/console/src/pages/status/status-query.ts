import { useQuery } from '@tanstack/react-query';
import { useApi } from '../../api/client.js';

const RENEWED_MS = 2_000;
const TIMEOUT_MS = 5_000;

/** The status of the service. A failure is shown at once, and the next reading comes soon: nothing is repeated in between. */
export function useStatus() {
  const { client, keyId } = useApi();
  return useQuery({
    queryKey: ['status', keyId],
    queryFn: ({ signal }) => client.status({ signal, retries: 0, timeoutMs: TIMEOUT_MS }),
    refetchInterval: RENEWED_MS,
    retry: false,
  });
}
