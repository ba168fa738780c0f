import { parse, type Selector } from 'css-what';

/** Longest CSS selector an option takes. */
export const MAX_SELECTOR_LENGTH = 1_000;

const COMBINATORS = new Set(['adjacent', 'child', 'descendant', 'sibling', 'column-combinator', 'parent']);
// jQuery's own; css-what reads them, no browser does.
const NOT_CSS = new Set([
  'contains',
  'icontains',
  'eq',
  'first',
  'last',
  'gt',
  'lt',
  'even',
  'odd',
  'parent',
]);

/**
 * What is wrong with a CSS selector, or undefined: a `check` for selector fields. It finds the faults that can be
 * told without a browser; what passes and is still refused there ends as `selector_not_found`.
 */
export function selectorFault(text: string): string | undefined {
  if (text.length > MAX_SELECTOR_LENGTH) return `must be at most ${MAX_SELECTOR_LENGTH} characters long`;
  try {
    const selectors = parse(text);
    return selectors.length > 0 && selectors.every(isWhole) ? undefined : 'must be a valid CSS selector';
  } catch {
    return 'must be a valid CSS selector';
  }
}

function isWhole(tokens: readonly Selector[]): boolean {
  const [first] = tokens;
  const last = tokens.at(-1);
  if (!first || !last || COMBINATORS.has(first.type) || COMBINATORS.has(last.type)) return false;
  return tokens.every(isCss);
}

function isCss(token: Selector): boolean {
  if (token.type === 'tag') return /^[-_a-z\u0080-\u{10ffff}]/iu.test(token.name);
  if (token.type === 'attribute') return token.action !== 'not';
  if (token.type === 'pseudo') return !NOT_CSS.has(token.name);
  // Pseudo-elements are no elements: nothing to wait for, to hide or to photograph.
  return token.type !== 'pseudo-element';
}
