/**
 * What is wrong with the HTML of a PDF header or footer, or undefined. Chromium neither runs nor fetches anything in
 * it: the rule is there so that its author learns why nothing shows, and because a style sheet to be fetched makes
 * the whole printing fail.
 */
export function templateFault(html: string): string | undefined {
  const banned = /<\s*\/?\s*(script|iframe|frame|object|embed|link|base|meta|form|foreignobject)\b/i.exec(
    html,
  )?.[1];
  if (banned !== undefined) return `must not hold <${banned.toLowerCase()}>`;
  if (/<[^>]*[\s/"']on[a-z]+\s*=/i.test(html)) return 'must not hold event handlers';
  if (/javascript:|@import|url\(\s*["']?(?!data:|#|["'\s])/i.test(html) || refersOutside(html)) {
    return 'must not refer to anything outside it; pictures go in as data: URLs';
  }
  return undefined;
}

/** Whether a tag or a style sheet names an address; one in the text, or the target of a link, fetches nothing. */
function refersOutside(html: string): boolean {
  return [...html.matchAll(/<style\b[^>]*>[\s\S]*?<\/style|<(?!\/|a\b)[^>]*>/gi)].some(([tag]) =>
    /\b(file|https?|ftp|blob):|["'=(]\s*\/\//i.test(tag),
  );
}
