import { type CosmeticFilter, type NetworkFilter, parseFilters } from '@ghostery/adblocker';
import { isTraversal, parse, type Selector } from 'css-what';
import { isLinear } from './linear-pattern.js';

/** The rules of a list that the service applies. */
export interface AcceptedRules {
  readonly network: NetworkFilter[];
  readonly cosmetic: CosmeticFilter[];
  /** Lines that look like rules and are of no use here: syntax of other blockers, scripts, unsafe patterns. */
  readonly skipped: number;
}

/** Longer rules are no rules of a list for people; the engine stores lengths in 16 bits. */
const MAX_PATTERN = 2_000;

export function acceptRules(text: string): AcceptedRules {
  const parsed = parseFilters(text, { loadPreprocessors: false });
  const network = parsed.networkFilters.filter(acceptsNetwork);
  const cosmetic = parsed.cosmeticFilters.filter(acceptsCosmetic);
  const refused =
    parsed.networkFilters.length + parsed.cosmeticFilters.length - network.length - cosmetic.length;
  return { network, cosmetic, skipped: parsed.notSupportedFilters.length + refused };
}

/** Rules that rewrite a response are not for a service that only blocks; `$redirect` blocks, `$redirect-rule` does not. */
function acceptsNetwork(filter: NetworkFilter): boolean {
  if (filter.isCSP() || filter.isRemoveParam() || filter.isHtmlFilteringRule()) return false;
  if (filter.isRedirect() && (filter.isException() || filter.isRedirectRule())) return false;
  if (filter.isRedirect() && filter.getRedirectResource() === 'none') return false;
  const { hostname = '', filter: pattern = '' } = filter;
  if (hostname.length > MAX_PATTERN || pattern.length > MAX_PATTERN) return false;
  if (filter.isFullRegex()) return isLinear(pattern.slice(1, -1));
  // No URL has these characters. A line with them is prose, HTML or JSON, which the engine takes for a pattern.
  return !/[\s<>"{}\\^`]/.test(hostname) && !/[\s<>"]/.test(pattern) && !isTooWide(filter);
}

/** AdGuard's limit: shorter patterns block most requests of all pages. */
const MIN_PATTERN = 3;

function isTooWide(filter: NetworkFilter): boolean {
  if (filter.isException() || filter.domains !== undefined) return false;
  const pattern = (filter.hostname ?? '') + (filter.filter ?? '').replace(/[*^|/]/g, '');
  return pattern.length < MIN_PATTERN || /^(?:https?|wss?):?$/.test(pattern);
}

function acceptsCosmetic(filter: CosmeticFilter): boolean {
  if (filter.isScriptInject() || filter.isExtended() || filter.isHtmlFiltering()) return false;
  if (filter.style !== undefined && !isHarmlessStyle(filter.style)) return false;
  return isSelectorOfCss(filter.selector);
}

/** Declarations without a function, an escape or a quote: none of them can load anything or end the rule. */
function isHarmlessStyle(style: string): boolean {
  return style.length <= 200 && /^[a-z0-9\s:;!%.,#-]+$/i.test(style);
}

const PLAIN = /^[.#][\w-]+$/;

/** Whether a text is a selector that Chromium knows, and nothing but a selector: one that is not would void its neighbours. */
function isSelectorOfCss(selector: string): boolean {
  if (selector.length > MAX_PATTERN) return false;
  if (PLAIN.test(selector)) return !/^[.#](?:\d|-\d|-$)/.test(selector);
  if (/[{}<;@\n]|\/\*|\\$/.test(selector)) return false;
  try {
    return parse(selector).every((steps) => steps.length > 0 && areKnown(steps));
  } catch {
    return false;
  }
}

const PSEUDOS = new Set(
  (
    'active any-link checked default disabled empty enabled first-child first-of-type focus focus-visible focus-within ' +
    'has host hover indeterminate invalid is lang last-child last-of-type link not nth-child nth-last-child nth-last-of-type ' +
    'nth-of-type only-child only-of-type optional placeholder-shown read-only read-write required root target valid visited where'
  ).split(' '),
);

function areKnown(steps: readonly Selector[]): boolean {
  const last = steps.at(-1);
  if (last === undefined || isTraversal(last)) return false;
  return steps.every((step) => {
    if (step.type === 'pseudo-element') return step.name === 'before' || step.name === 'after';
    if (step.type === 'attribute') return step.action !== 'not';
    if (step.type === 'parent' || step.type === 'column-combinator') return false;
    if (step.type !== 'pseudo') return true;
    if (!PSEUDOS.has(step.name)) return false;
    return (
      !Array.isArray(step.data) || step.data.every((inner) => inner.length > 0 && inner.every(isStepKnown))
    );
  });
}

function isStepKnown(step: Selector): boolean {
  return step.type !== 'pseudo' ? step.type !== 'pseudo-element' : areKnown([step]);
}
