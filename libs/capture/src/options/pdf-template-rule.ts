/**
 * What is wrong with the HTML of a PDF header or footer, or undefined. Chromium neither runs nor fetches anything in
 * it: the rule is there so that its author learns why nothing shows, and because a style sheet to be fetched makes
 * the whole printing fail.
 *
 * Each pattern stops at the next `<`, so that none is tried over the whole text from each of a thousand brackets: on
 * hostile input that would hold up the process for minutes.
 */
export function templateFault(html: string): string | undefined {
  const banned = /<[\s/]*(script|iframe|frame|object|embed|link|base|meta|form|foreignobject)\b/i.exec(
    html,
  )?.[1];
  if (banned !== undefined) return `must not hold <${banned.toLowerCase()}>`;
  const tags = html.match(/<[^<>]*/g) ?? [];
  if (tags.some((tag) => /[\s/"']on[a-z]+\s*=/i.test(tag))) return 'must not hold event handlers';
  const named = [...tags.filter((tag) => !/^<(\/|a\b)/i.test(tag)), ...styleSheets(html)];
  const isOutside =
    /javascript:|@import|url\(\s*["']?(?!data:|#|["'\s])/i.test(html) || named.some(namesAnAddress);
  return isOutside ? 'must not refer to anything outside it; pictures go in as data: URLs' : undefined;
}

function styleSheets(html: string): string[] {
  return html.split(/<style\b/i).flatMap((rest, i) => (i === 0 ? [] : rest.split(/<\/style/i, 1)));
}

/** One in the text, or the target of a link, fetches nothing; in a tag or a style sheet it is meant to. */
function namesAnAddress(text: string): boolean {
  return /\b(file|https?|ftp|blob):|["'=(]\s*\/\//i.test(text);
}
