import { tooLong } from '../markup/page-markup.js';
import { CssUrls } from '../markup/css-urls.js';
import type { MimeMessage } from './mime-message.js';
import type { PageResource, PageResources } from './page-resources.js';

/** Resources that are read at the same time. */
const PARALLEL = 8;
/** A longer URL does not fit on a line of a header. */
const MAX_URL_LENGTH = 8_192;

/**
 * Adds resources to an archive, and what the style sheets among them refer to. One that the page has not loaded, or that cannot
 * be read in time, is left out.
 *
 * @throws AppError `resource_limit`, before anything is read when the browser knows that it would be too much
 */
export async function addResources(
  message: MimeMessage,
  urls: readonly string[],
  { resources, until }: { readonly resources: PageResources; readonly until: number },
): Promise<void> {
  const seen = new Set<string>();
  for (let next: readonly string[] = urls; next.length > 0;) {
    const wanted = [...new Set(next)].filter((url) => url.length <= MAX_URL_LENGTH && !seen.has(url));
    for (const url of wanted) seen.add(url);
    const bytes = wanted.reduce((sum, url) => sum + resources.sizeOf(url), 0);
    if (bytes > message.left) throw tooLong(message.maxBytes);
    const found: string[] = [];
    for (let at = 0; at < wanted.length; at += PARALLEL) {
      const some = wanted.slice(at, at + PARALLEL);
      const reading = some.map((url) => resources.read(url, { until, maxBytes: message.left }));
      (await Promise.all(reading)).forEach((resource, i) => {
        const location = some[i] ?? '';
        if (resource) message.add({ ...resource, location });
        if (resource?.type === 'text/css') found.push(...urlsIn(resource, location));
      });
    }
    next = found;
  }
}

/** The URLs that a style sheet refers to, without fragments. */
function urlsIn({ body }: PageResource, base: string): string[] {
  const found = new Set<string>();
  const collect = (url: string): string => {
    const absolute = url.startsWith('data:') ? undefined : URL.parse(url, base)?.href.split('#', 1)[0];
    if (absolute !== undefined) found.add(absolute);
    return url;
  };
  new CssUrls(body.toString('utf8'), collect).mapped();
  return [...found];
}
