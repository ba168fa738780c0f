import { Injectable } from '@nestjs/common';
import { EgressGuard } from './egress-guard.js';
import type {
  DownloadOutcome,
  FetchFailure,
  FetchOutcome,
  GuardedCall,
  GuardedClient,
  GuardedDownload,
  GuardedRequest,
  StreamedResponse,
  StreamOutcome,
} from './guarded-client.js';
import { Dialer } from './proxy/dialer.js';
import { EgressFailure } from './proxy/egress-failure.js';
import { Resolver } from './resolver.js';

/**
 * The HTTP client for addresses that callers choose. Each request opens a connection to an address that the guard has just
 * checked: a kept connection would outlive what its name resolves to. It follows no redirect and uses no proxy.
 */
@Injectable()
export class GuardedFetchService {
  constructor(
    private readonly guard: EgressGuard,
    private readonly resolver: Resolver,
  ) {}

  /** Resolves with a failure rather than reject; rejects only with the reason of `signal` when that aborts. */
  send(request: GuardedRequest): Promise<FetchOutcome> {
    return this.withClient(request, (client) => client.send(request));
  }

  /** As `send`, with GET, and with the whole body of the response, as it was sent. */
  get(request: GuardedDownload): Promise<DownloadOutcome> {
    return this.withClient<DownloadOutcome>(request, (client) => client.get(request));
  }

  /**
   * As `get`, without a limit: `use` reads the body while it arrives, and stops where it wants. What `use` rejects with counts as a
   * failure of the connection.
   */
  stream<T>(
    request: GuardedCall,
    use: (response: StreamedResponse) => Promise<T>,
  ): Promise<StreamOutcome<T>> {
    return this.withClient<StreamOutcome<T>>(request, async (client) => ({
      kind: 'answered',
      value: await client.stream(request, use),
    }));
  }

  private async withClient<Outcome>(
    { url, timeoutMs, signal }: GuardedCall,
    use: (client: GuardedClient) => Promise<Outcome>,
  ): Promise<Outcome | { readonly kind: FetchFailure }> {
    // Imported on demand: its library would be a thirtieth of what a worker loads when it starts.
    const { failureOf, GuardedClient: Client } = await import('./guarded-client.js');
    signal.throwIfAborted();
    if (!this.admits(url)) return { kind: 'forbidden' };
    const closing = new AbortController();
    const dialer = new Dialer(this.guard, this.resolver, closing.signal);
    const client = new Client(url, dialer, closing.signal);
    const abort = (): void => {
      closing.abort(signal.reason);
    };
    const timer = setTimeout(() => {
      closing.abort(new EgressFailure('timeout'));
    }, timeoutMs);
    signal.addEventListener('abort', abort);
    try {
      return await use(client);
    } catch (error) {
      signal.throwIfAborted();
      return { kind: failureOf(error) };
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      closing.abort();
    }
  }

  private admits(url: URL): boolean {
    try {
      this.guard.admit(url);
      return true;
    } catch {
      return false;
    }
  }
}
