import { LABELS, type FilterName } from './filters.js';

/** What a searched text may mean. */
export type Meaning =
  | { readonly kind: 'filter'; readonly filter: FilterName; readonly value: string; readonly text: string }
  | { readonly kind: 'capture'; readonly id: string; readonly text: string };

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const WEB = /^https?:\/\//i;
/** A name with a dot, an IPv6 address or `localhost`, with a port, a path or nothing after it. */
const HOST = /^(?:localhost|\[[0-9a-f:.]+\]|[^\s/?#:@]+(?:\.[^\s/?#:@.]+)+)\.?(?::\d+)?(?:[/?#]|$)/i;

/** The meanings of a text, the most likely one first. */
export function meaningsOf(searched: string): Meaning[] {
  const text = searched.trim();
  if (text === '') return [];
  if (UUID.test(text)) {
    const id = text.toLowerCase();
    return [
      { kind: 'capture', id, text: 'Open the capture with this id' },
      filter('batch_id', id),
      filter('reference', text),
      filter('search', text),
    ];
  }
  const host = hostOf(text);
  const others = [filter('search', text), filter('reference', text)];
  return host === undefined ? others : [filter('host', host), ...others];
}

function filter(name: FilterName, value: string): Meaning {
  return {
    kind: 'filter',
    filter: name,
    value,
    text: `${LABELS[name]} ${name === 'search' ? 'contains' : 'is'}`,
  };
}

/** The host, with its port, of a URL, of a URL without its scheme, or of the name itself. */
function hostOf(text: string): string | undefined {
  if (!WEB.test(text) && !HOST.test(text)) return undefined;
  const url = WEB.test(text) ? text : `http://${text}`;
  return URL.canParse(url) ? new URL(url).host : undefined;
}
