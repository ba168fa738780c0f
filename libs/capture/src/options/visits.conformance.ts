import { onePagePool } from '../../../../test/support/browser.js';
import { noFilters } from '../../../../test/support/filters.js';
import { noFacts } from '../record/facts.js';
import { parseOptions } from '../request/parse-options.js';
import type { Visit } from '../pipeline/family.js';
import { FrameLoads } from '../pipeline/frame-loads.js';
import { FrameSessions } from '../pipeline/frame-sessions.js';
import { watchRequests } from '../pipeline/interceptor.js';
import { FAMILIES, type CaptureOptions } from '../request/capture-options.js';
import { windowOf } from './viewport.js';

/** A browser for a spec file. Visits pages with the hooks of every family, as the engine does. */
export class Visits {
  private readonly pool = onePagePool();

  open(): Promise<void> {
    return this.pool.start();
  }

  /** Opens the target of the options and returns what `read` reads from its page. */
  readFrom<T>(raw: Record<string, unknown>, read: (visit: Visit) => Promise<T>): Promise<T> {
    const options = parseOptions(raw);
    const { signal } = new AbortController();
    return this.pool.withPage(signal, async (lease) => {
      const visit = visitOf(lease, options, signal);
      const judges = FAMILIES.flatMap(
        (family) => ('judge' in family && family.judge?.(visit, options)) || [],
      );
      for (const family of FAMILIES) await family.prepare?.(visit, options);
      await watchRequests(visit, judges);
      // The engine enables the events of navigations, too.
      await visit.cdp.send('Page.enable');
      await visit.proxyAuthentication.authenticateWithDocument();
      visit.response = await visit.page.goto(options.url ?? 'about:blank');
      for (const family of FAMILIES) await family.settle?.(visit, options);
      return read(visit);
    });
  }

  close(): Promise<void> {
    return this.pool.close();
  }
}

type Lease = Pick<
  Visit,
  'page' | 'context' | 'cdp' | 'reportContexts' | 'proxyAuthentication' | 'setUserAgent'
> & {
  readonly isSharedWorker: ConstructorParameters<typeof FrameSessions>[0]['isSharedWorker'];
};

function visitOf(
  { page, context, cdp, reportContexts, proxyAuthentication, isSharedWorker, setUserAgent }: Lease,
  { url, timeout_ms: timeoutMs }: Pick<CaptureOptions, 'url' | 'timeout_ms'>,
  signal: AbortSignal,
): Visit {
  return {
    page,
    mainFrame: page.mainFrame(),
    context,
    cdp,
    frameSessions: new FrameSessions({ page, cdp, isSharedWorker }),
    reportContexts,
    proxyAuthentication,
    setUserAgent,
    answerNextDialog: () => undefined,
    signal,
    ...windowOf({}),
    isolatedWorld: {},
    making: {},
    cleaners: [],
    target: url === undefined ? null : new URL(url),
    response: null,
    remainingMs: () => timeoutMs,
    filters: noFilters(),
    hiddenKinds: [],
    screenHosts: () => undefined,
    netErrorOf: () => undefined,
    facts: noFacts(),
    frameLoads: new FrameLoads(),
    session: undefined,
    storageFill: undefined,
  };
}
