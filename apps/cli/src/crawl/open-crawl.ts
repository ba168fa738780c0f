import { randomUUID } from 'node:crypto';
import { CaptureError, type CaptureClient, type CrawlRecord, type NewCrawl } from '@capture-service/client';
import { optionsFingerprint } from '../batch/batch-state.js';
import type { OutageRetry } from '../batch/outage-retry.js';
import type { WorkFolder } from '../batch/work-folder.js';
import type { CliContext } from '../context/cli-context.js';
import { CliError } from '../context/cli-error.js';
import { EXIT } from '../context/exit-codes.js';
import type { CrawlFlags } from './crawl-flags.js';
import type { CrawlState } from './crawl-state.js';

/** A crawl, where its files go, and how. */
export interface CrawlSettings {
  readonly context: CliContext;
  readonly client: CaptureClient;
  readonly folder: WorkFolder<CrawlState>;
  readonly request: NewCrawl;
  readonly flags: CrawlFlags;
}

/** The service knows an Idempotency-Key for 24 h; the rest is for clocks that differ. */
const KEY_LIFE_MS = 23 * 3_600_000;

const OTHER = 'Choose another folder, or begin a new crawl with --restart.';

/**
 * The crawl of the folder, which is started if there is none. It is started once, also when the answer of the service was lost.
 *
 * @throws CliError if the folder belongs to another crawl
 */
export async function openCrawl(settings: CrawlSettings, outageRetry: OutageRetry): Promise<CrawlRecord> {
  const { client, folder } = settings;
  const state = (await knownState(settings)) ?? (await newState(settings));
  if (state.id !== undefined) return found(settings, state.id, outageRetry);
  try {
    // It is not aborted by a signal: whether the service has started the crawl must be known.
    const crawl = await outageRetry.run(() =>
      client.crawls.create(settings.request, { idempotencyKey: state.key }),
    );
    await folder.saveState({ ...state, id: crawl.id });
    return crawl;
  } catch (error) {
    if (isRefusal(error)) await folder.removeState();
    throw error;
  }
}

/** Forgets the crawl of the folder, and cancels it if it runs. The files stay until others replace them. */
export async function discardCrawl({ context, client, folder }: CrawlSettings): Promise<void> {
  const state = await folder.readState().catch((error: unknown) => {
    if (error instanceof CliError) return undefined;
    throw error;
  });
  if (state?.id !== undefined && state.baseUrl === context.connection().url) {
    try {
      await client.crawls.cancel(state.id, { signal: context.signal });
    } catch (error) {
      if (!(error instanceof CaptureError) || error.code !== 'not_found') throw error;
    }
  }
  await folder.removeState();
}

async function knownState({ context, folder, request }: CrawlSettings): Promise<CrawlState | undefined> {
  const state = await folder.readState();
  if (!state) return undefined;
  const { url } = context.connection();
  if (state.baseUrl !== url) {
    throw new CliError(
      `${folder.name} has the files of a crawl of ${state.baseUrl}, not ${url ?? ''}. ${OTHER}`,
    );
  }
  if (state.request !== fingerprintOf(request)) {
    throw new CliError(
      `${folder.name} has the files of another crawl, or of this one with other options. ${OTHER}`,
    );
  }
  await folder.removeParts();
  if (state.id === undefined && Date.now() - Date.parse(state.startedAt) > KEY_LIFE_MS) {
    throw new CliError(
      `An earlier run was stopped while it started the crawl on ${state.startedAt}, too long ago to find out whether the service did. ` +
        'Look for it with `capture crawls list`; --restart begins a new one.',
    );
  }
  return state;
}

async function newState({ context, folder, request }: CrawlSettings): Promise<CrawlState> {
  const state = {
    baseUrl: context.connection().url ?? '',
    request: fingerprintOf(request),
    key: randomUUID(),
    startedAt: new Date(Date.now()).toISOString(),
  };
  await folder.saveState(state);
  return state;
}

async function found(
  { context, client, folder }: CrawlSettings,
  id: string,
  outageRetry: OutageRetry,
): Promise<CrawlRecord> {
  try {
    return await outageRetry.run(() => client.crawls.get(id, { signal: context.signal }));
  } catch (error) {
    if (!(error instanceof CaptureError) || error.code !== 'not_found') throw error;
    throw new CliError(`The service no longer has the crawl of ${folder.name}. ${OTHER}`, {
      exitCode: EXIT.failed,
      code: error.code,
      cause: error,
    });
  }
}

function fingerprintOf(request: NewCrawl): string {
  return optionsFingerprint({ ...request });
}

/** Whether the service has answered that it does not start the crawl. */
function isRefusal(error: unknown): boolean {
  return (
    error instanceof CaptureError && !error.retryable && error.status !== undefined && error.status < 500
  );
}
