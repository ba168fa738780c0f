/** `example.com`, or `*.example.com` for its subdomains; an IPv6 address stands in brackets. */
const PATTERN = /^(\*\.)?([a-z0-9_-]+(\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])$/;
const MAX_LENGTH = 253;

/** What is wrong with a pattern of hosts; undefined for a valid one. */
export function hostPatternFault(text: string): string | undefined {
  const isPattern = text.length <= MAX_LENGTH && PATTERN.test(text);
  // The parser writes hosts as they stand in the URLs that are compared with them: in lower case, and as Punycode.
  const host = text.replace(/^\*\./, '');
  if (isPattern && URL.parse(`http://${host}/`)?.hostname === host) return undefined;
  return 'must be a host such as example.com, or *.example.com for its subdomains, in lower case and without a port';
}

/** Whether a host, as it stands in a parsed URL, is one of the patterns. A dot at its end means nothing. */
export function matchesHost(patterns: readonly string[], hostname: string): boolean {
  const host = hostname.replace(/\.$/, '');
  return patterns.some((pattern) =>
    pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : host === pattern,
  );
}

/** The patterns that both lists allow: of two that overlap the narrower one. */
export function commonPatterns(some: readonly string[], others: readonly string[]): string[] {
  const narrower = [
    ...some.filter((pattern) => coversPattern(others, pattern)),
    ...others.filter((pattern) => coversPattern(some, pattern)),
  ];
  return [...new Set(narrower)];
}

/** Whether every host of the pattern is one of the patterns. */
function coversPattern(patterns: readonly string[], pattern: string): boolean {
  if (!pattern.startsWith('*.')) return matchesHost(patterns, pattern);
  return patterns.some((wide) => wide.startsWith('*.') && pattern.slice(1).endsWith(wide.slice(1)));
}
