import { UnreadableStateError, type StateFormat } from '../batch/work-folder.js';

const VERSION = 1;

/**
 * What a folder remembers of its crawl, so that the same command goes on where it was stopped. It is written before the crawl is
 * started: one whose id is missing was perhaps started, and its key finds out without a second one.
 */
export interface CrawlState {
  /** The service; the id means nothing to another one. */
  readonly baseUrl: string;
  /** Fingerprint of what is crawled and how. */
  readonly request: string;
  /** The Idempotency-Key of the request. */
  readonly key: string;
  /** When it was first sent, in RFC 3339. */
  readonly startedAt: string;
  /** Missing until the service has answered. */
  readonly id?: string;
}

/** The state of the folder of a crawl. */
export const CRAWL_STATE: StateFormat<CrawlState> = {
  file: '.capture-crawl.json',
  read: readState,
  write: (state) => {
    const about =
      'The state of `capture crawl` for this folder. The same command goes on where it was stopped.';
    return `${JSON.stringify({ about, version: VERSION, ...state }, null, 2)}\n`;
  },
  restart: 'begin a new crawl',
};

/** @throws UnreadableStateError */
function readState(text: string): CrawlState {
  const { version, baseUrl, request, key, startedAt, id } = fieldsOf(text);
  if (version !== VERSION)
    throw new UnreadableStateError('it was written by another version of this program');
  const isWhole = [baseUrl, request, key, startedAt].every((field) => typeof field === 'string');
  if (!isWhole) throw new UnreadableStateError('fields are missing');
  const state = { baseUrl, request, key, startedAt } as CrawlState;
  return { ...state, ...(typeof id === 'string' && { id }) };
}

function fieldsOf(text: string): Record<string, unknown> {
  try {
    return (JSON.parse(text) ?? {}) as Record<string, unknown>;
  } catch {
    throw new UnreadableStateError('it is not JSON');
  }
}
