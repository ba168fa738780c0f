/**
 * Whether a text matches a pattern in which `*` stands for any characters, also none, and everything else for itself. It takes time in
 * proportion to both lengths at worst, whatever the pattern.
 */
export function matchesWildcard(pattern: string, text: string): boolean {
  let at = 0;
  let next = 0;
  /** Where the last `*` stands, and the first character of the text that it does not cover yet. */
  let star = -1;
  let after = 0;
  while (at < text.length) {
    if (pattern[next] === '*') {
      star = next;
      next += 1;
      after = at;
    } else if (pattern[next] === text[at]) {
      next += 1;
      at += 1;
    } else if (star >= 0) {
      after += 1;
      at = after;
      next = star + 1;
    } else return false;
  }
  while (pattern[next] === '*') next += 1;
  return next === pattern.length;
}
