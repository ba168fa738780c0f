/** A part of a path that is made for one visitor or one moment. */
const TOKEN = /^(?=.*\d)[0-9a-z_-]{16,}$/i;

/** How often one part may stand in a path: links that are relative by mistake make it longer and longer. */
const MAX_REPETITIONS = 3;

/**
 * What addresses have in common that a program makes without an end: a calendar, facets, session ids in paths. Digits and tokens in
 * the path are alike, and so are all parameters.
 */
export function patternOf(url: URL): string {
  const path = url.pathname.split('/').map((part) => (TOKEN.test(part) ? '*' : part.replace(/\d+/g, '0')));
  return `${url.host}${path.join('/')}${url.search === '' ? '' : '?'}`;
}

/** Whether other addresses can have the same pattern. */
export function isGenerated(url: URL): boolean {
  return url.search !== '' || /\d/.test(url.pathname);
}

/** Whether a part of the path is repeated as only a mistake repeats it. */
export function isRunaway(url: URL): boolean {
  const counts = new Map<string, number>();
  for (const part of url.pathname.split('/')) {
    if (part === '') continue;
    const count = (counts.get(part) ?? 0) + 1;
    if (count > MAX_REPETITIONS) return true;
    counts.set(part, count);
  }
  return false;
}
