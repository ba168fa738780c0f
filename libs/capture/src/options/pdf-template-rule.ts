/**
 * What is wrong with the HTML of a PDF header or footer, or undefined. Chromium neither runs nor fetches anything
 * in it; a template that asks for either is refused, so that its author learns why nothing shows.
 */
export function templateFault(html: string): string | undefined {
  const banned = /<\s*\/?\s*(script|iframe|frame|object|embed|link|base|meta|form|foreignobject)\b/i.exec(
    html,
  )?.[1];
  if (banned !== undefined) return `must not hold <${banned.toLowerCase()}>`;
  if (/<[^>]*[\s/"']on[a-z]+\s*=/i.test(html)) return 'must not hold event handlers';
  if (/(file|https?|ftp|javascript|vbscript|blob):/i.test(withoutText(html))) {
    return 'must not refer to anything outside it; pictures go in as data: URLs';
  }
  return undefined;
}

/** The tags and style sheets of the HTML: an address in its text is only text. */
function withoutText(html: string): string {
  return [...html.matchAll(/<style\b[^>]*>[\s\S]*?<\/style|<[^>]*>/gi)].map(([tag]) => tag).join(' ');
}
