import { InvalidEnvironmentError } from '@app/config';
import { FILTER_KINDS, type FilterKind } from '../filter-set.js';

/** A list that is downloaded. */
export interface ListSource {
  readonly kind: FilterKind;
  readonly url: URL;
  /** Its host and file, for the log: a query may hold a secret. */
  readonly label: string;
}

const ENTRY = new RegExp(`^(?:(${FILTER_KINDS.join('|')})=)?(https?://\\S+)$`);

/**
 * Reads FILTER_LISTS_URL: comma-separated URLs, each with its kind before it unless it is `ads`.
 *
 * @throws InvalidEnvironmentError that names each invalid entry by its position: its text may hold a secret
 */
export function readListSources(text: string): readonly ListSource[] {
  const entries = text.split(',').map((entry) => entry.trim());
  const sources = entries.filter((entry) => entry !== '').map(readEntry);
  const faults = sources.flatMap((source, i) => (source === undefined ? [i + 1] : []));
  if (faults.length > 0) {
    throw new InvalidEnvironmentError(
      `The environment is not valid:\n  FILTER_LISTS_URL entry ${faults.join(', ')} must be a URL such as ` +
        `https://example.com/list.txt, with its kind before it unless it is ads: ${FILTER_KINDS.join(', ')}`,
    );
  }
  return sources.filter((source) => source !== undefined);
}

function readEntry(entry: string): ListSource | undefined {
  const [, kind = 'ads', address = ''] = ENTRY.exec(entry) ?? [];
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  if (url.username !== '' || url.password !== '') return undefined;
  return { kind: kind as FilterKind, url, label: url.host + url.pathname };
}
