/** A pattern whose `*` stands for any text, cut at the stars. */
export type Glob = readonly string[];

export function readGlob(pattern: string): Glob {
  return pattern.split('*');
}

/**
 * Whether the whole text is of this form.
 *
 * Each part is searched once, after the one before it: no pattern of a caller can make it go back and try again, as
 * a regular expression would.
 */
export function matchesGlob(glob: Glob, text: string): boolean {
  const [first = '', ...rest] = glob;
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let from = first.length;
  for (const part of rest) {
    const at = text.indexOf(part, from);
    if (at === -1) return false;
    from = at + part.length;
  }
  return text.length - last.length >= from && text.endsWith(last);
}
