import type { NetworkFilter } from '@ghostery/adblocker';
import { RE2JS } from 're2js';

/**
 * The engine makes a RegExp of each pattern with a wildcard or a regular expression, and a page chooses the URLs that are
 * tested: `/a*b*c` against 4,000 letters takes seconds, a nested quantifier years. These take a time that is linear in the
 * length of the URL. They are RegExps only because the engine's type of a compiled pattern is.
 */
export function linearPattern(filter: NetworkFilter): RegExp | undefined {
  if (filter.filter === undefined || !filter.isRegex()) return undefined;
  if (filter.isFullRegex()) {
    return new LinearRegExp(filter.filter.slice(1, -1), filter.isCaseSensitive === true);
  }
  const anchors = { start: filter.isLeftAnchor(), end: filter.isRightAnchor() };
  return new Wildcards(filter.filter.toLowerCase(), anchors);
}

/** Whether a regular expression can be matched in linear time: it has no look-around and no back reference. */
export function isLinear(source: string): boolean {
  try {
    RE2JS.compile(source);
    return true;
  } catch {
    return false;
  }
}

class LinearRegExp extends RegExp {
  private readonly linear: RE2JS;

  constructor(source: string, isCaseSensitive: boolean) {
    super('');
    this.linear = RE2JS.compile(source, isCaseSensitive ? 0 : RE2JS.CASE_INSENSITIVE);
  }

  override test(url: string): boolean {
    return this.linear.matcher(url).find();
  }
}

/** `*` matches anything, `^` a separator or the end. Taking the first place where each part fits is never wrong. */
export class Wildcards extends RegExp {
  private readonly parts: readonly string[];

  constructor(
    pattern: string,
    private readonly anchors: { readonly start: boolean; readonly end: boolean },
  ) {
    super('');
    this.parts = pattern.split('*');
  }

  override test(url: string): boolean {
    let from = 0;
    for (const [i, part] of this.parts.entries()) {
      const isLast = i === this.parts.length - 1;
      const fixed = i === 0 && this.anchors.start;
      const end =
        isLast && this.anchors.end
          ? endOfLast(url, part, { from, fixed })
          : endOf(url, part, { from, fixed });
      if (end === -1) return false;
      from = end;
    }
    return true;
  }
}

interface Place {
  readonly from: number;
  /** Whether the part has to begin exactly at `from`. */
  readonly fixed: boolean;
}

/** Where the first match of the part ends; -1 without one. */
function endOf(url: string, part: string, { from, fixed }: Place): number {
  if (fixed) return endAt(url, part, from);
  const literal = part.indexOf('^');
  if (literal === -1) {
    const at = url.indexOf(part, from);
    return at === -1 ? -1 : at + part.length;
  }
  const prefix = part.slice(0, literal);
  for (let at = url.indexOf(prefix, from); at !== -1; at = url.indexOf(prefix, at + 1)) {
    const end = endAt(url, part, at);
    if (end !== -1) return end;
    if (at >= url.length) return -1;
  }
  return -1;
}

/** As endOf, where the match has to end with the URL; a `^` at the end of the part may be the end itself. */
function endOfLast(url: string, part: string, { from, fixed }: Place): number {
  const trailing = /\^*$/.exec(part)?.[0].length ?? 0;
  for (let ends = 0; ends <= trailing; ends++) {
    const at = url.length - part.length + ends;
    if (at >= from && (!fixed || at === from) && endAt(url, part, at) === url.length) return url.length;
  }
  return -1;
}

function endAt(url: string, part: string, at: number): number {
  for (let i = 0; i < part.length; i++) {
    const atEnd = at + i >= url.length;
    if (part[i] !== '^') {
      if (atEnd || part[i] !== url[at + i]) return -1;
    } else if (atEnd) {
      return /^\^*$/.test(part.slice(i)) ? url.length : -1;
    } else if (!isSeparator(url.charCodeAt(at + i))) {
      return -1;
    }
  }
  return at + part.length;
}

/** Anything but a letter, a digit or one of `_.%-`. */
function isSeparator(code: number): boolean {
  const isDigit = code >= 48 && code <= 57;
  const isLetter = (code >= 97 && code <= 122) || (code >= 65 && code <= 90);
  return !(isDigit || isLetter || code === 95 || code === 46 || code === 37 || code === 45);
}
