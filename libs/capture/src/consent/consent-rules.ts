import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { DialogControls } from '../overlays/dialog-controls.js';
import { DialogWords } from '../overlays/dialog-words.js';
import { FloatingElements } from '../overlays/floating-elements.js';
import { declarationOf } from '../pipeline/in-page.js';
import type { ConsentChoice } from './consent-engine.js';
import { DialogDriver } from './dialog-driver.js';
import { DialogSelectors } from './dialog-selectors.js';
import {
  OWN_RULES,
  REOPENING_BUTTONS,
  REPLACED_RULES,
  type ConsentRule,
  type RuleStep,
} from './own-rules.js';
import { UnknownDialogs } from './unknown-dialogs.js';

const { resolve } = createRequire(import.meta.url);
const PACKAGE = '@duckduckgo/autoconsent';
/** Functions of autoconsent that it does not export; the version is pinned, and a test runs each. */
const INTERNALS = ['checkHeuristicPatterns', 'isExcludedPopup', 'classifyButtonTextRegex'] as const;

/** Snippets that consent; `reject` never evaluates them. */
export const CONSENTING_SNIPPETS: ReadonlySet<string> = new Set([
  'EVAL_CONSENTMANAGER_4',
  'EVAL_CONSENTMANAGER_NCMP_ACCEPT',
  'EVAL_COOKIEINFORMATION_1',
  'EVAL_EZOIC_0',
  'EVAL_MICROSOFT_1',
  'EVAL_TARTEAUCITRON_1',
  'EVAL_TEALIUM_2',
  'EVAL_THEFREEDICTIONARY_1',
  'EVAL_USERCENTRICS_API_3',
]);
/** Rules that click the same element on both ways, but only after another one has rejected. */
const REJECTS_BEFORE = new Set(['blocksy', 'Complianz optin', 'gov.uk', 'police-uk', 'orejime']);
/** The fields of a rule that every choice needs. */
const USED_FIELDS = [
  'name',
  'cosmetic',
  'runContext',
  'prehideSelectors',
  'minimumRuleStepVersion',
  'detectCmp',
  'detectPopup',
] as const;
/** The classes of ours that run in the page. */
const PARTS = [
  DialogWords,
  FloatingElements,
  DialogControls,
  UnknownDialogs,
  DialogSelectors,
  DialogDriver,
] as const;
const MAX_URL_LENGTH = 2_048;
/** Rules for the pages on which autoconsent tests itself. */
const SELF_TESTS = /^Test page/;

/**
 * The rules and the code of autoconsent, for the isolated world of a document. Only the worker loads it: it holds about 4 MB.
 */
export class ConsentRules {
  private readonly general: readonly ConsentRule[];
  private readonly ofSites: readonly { readonly pattern: RegExp; readonly rule: ConsentRule }[];
  private readonly hideOnly: readonly string[];
  private readonly sources = new Map<string, string>();

  private constructor(
    rules: readonly ConsentRule[],
    private readonly snippets: Readonly<Record<string, () => unknown>>,
    private readonly engine: string,
  ) {
    const theirs = rules.filter(({ name }) => !SELF_TESTS.test(name) && !REPLACED_RULES.has(name));
    const used = [...OWN_RULES, ...theirs];
    this.general = used.filter(({ runContext }) => !runContext?.urlPattern);
    this.ofSites = used.flatMap((rule) =>
      rule.runContext?.urlPattern ? [{ pattern: new RegExp(rule.runContext.urlPattern), rule }] : [],
    );
    this.hideOnly = used.filter(mayConsent).map(({ name }) => name);
  }

  private static loaded: Promise<ConsentRules> | undefined;

  static load(): Promise<ConsentRules> {
    return (ConsentRules.loaded ??= ConsentRules.read());
  }

  private static async read(): Promise<ConsentRules> {
    const [{ evalSnippets }, rules, code] = await Promise.all([
      import('@duckduckgo/autoconsent'),
      readFile(resolve(`${PACKAGE}/rules/rules.json`), 'utf8'),
      readFile(resolve(PACKAGE), 'utf8'),
    ]);
    const { autoconsent } = JSON.parse(rules) as { autoconsent: ConsentRule[] };
    return new ConsentRules(autoconsent, evalSnippets, engineOf(code));
  }

  /**
   * Source of a function that makes the driver of a document when it has none yet.
   *
   * @param url of the document, by which the rules of sites are chosen
   */
  driverSource(choice: ConsentChoice, url: string): string {
    // The URL of a frame can be a document of its own.
    const address = url.slice(0, MAX_URL_LENGTH);
    const ofSite = this.ofSites.filter(({ pattern }) => pattern.test(address)).map(({ rule }) => rule);
    if (ofSite.length > 0) return this.sourceOf(choice, [...ofSite, ...this.general]);
    const source = this.sources.get(choice) ?? this.sourceOf(choice, this.general);
    this.sources.set(choice, source);
    return source;
  }

  /** The code of a snippet that the choice may evaluate in the page's own world; undefined for any other name. */
  snippet(name: string, choice: ConsentChoice): string | undefined {
    if (choice !== 'accept' && CONSENTING_SNIPPETS.has(name)) return undefined;
    return Object.hasOwn(this.snippets, name) ? `(${String(this.snippets[name])})()` : undefined;
  }

  private sourceOf(choice: ConsentChoice, rules: readonly ConsentRule[]): string {
    const setup = JSON.stringify({
      choice,
      own: OWN_RULES.map(({ name }) => name),
      reopening: REOPENING_BUTTONS,
      hideOnly: this.hideOnly,
      rules: rules.map((rule) => ({
        ...Object.fromEntries(USED_FIELDS.map((field) => [field, rule[field]])),
        ...(choice === 'reject' && { optOut: rule.optOut }),
        ...(choice === 'accept' && { optIn: rule.optIn }),
      })),
    });
    // Parsing a text takes half the time of running a literal.
    return `() => {
      ${PARTS.map(declarationOf).join('\n')}
      const engine = (${this.engine})();
      const floats = new FloatingElements(safe);
      const unknown = new UnknownDialogs(engine, floats, new DialogControls(safe, floats, new DialogWords()), safe);
      return new DialogDriver(engine, JSON.parse(${JSON.stringify(setup)}), { safe, unknown, selectors: new DialogSelectors(safe) });
    }`;
  }
}

/** The module as a function that returns the parts of a `ConsentEngine`. */
function engineOf(code: string): string {
  return `() => {
    const module = { exports: {} };
    ${code}
    return { AutoConsent: module.exports.default, ${INTERNALS.join(', ')} };
  }`;
}

/** Whether the way out of a rule clicks what its way in clicks: such a button may consent, and what it says is not known. */
export function mayConsent({ name, optOut = [], optIn = [] }: ConsentRule): boolean {
  const accepting = new Set(optIn.flatMap(clicksOf));
  return !REJECTS_BEFORE.has(name) && optOut.flatMap(clicksOf).some((selector) => accepting.has(selector));
}

function clicksOf(step: RuleStep): string[] {
  const clicked = [step.click, step.waitForThenClick].flatMap((selector) => {
    if (selector === undefined) return [];
    const chain = [selector].flat().join(' >> ');
    return chain.includes('xpath/') ? [chain] : chain.split(',').map((each) => each.trim());
  });
  const inner = [step.then, step.else, step.any].flatMap((steps) => steps ?? []);
  return [...clicked, ...inner.flatMap(clicksOf)];
}

/** What the rules call otherwise than their vendors do. */
const VENDORS: Readonly<Record<string, string>> = {
  cookieconsent2: 'vanilla-cookieconsent',
  cookieconsent3: 'vanilla-cookieconsent',
  cybotcookiebot: 'cookiebot',
};
/** Rules for the cookieconsent of Osano, which Complianz builds on. */
const COMPLIANZ = /^complianz (categories|notice|opt-out|optin)$/;

/** The name of a manager as a record shows it; null for a rule that was generated for a page. */
export function managerName(rule: string): string | null {
  const name = rule.toLowerCase();
  if (name.startsWith('auto_')) return null;
  if (COMPLIANZ.test(name)) return 'cookieconsent';
  return VENDORS[name] ?? name.replace(/-(top|frame|api|button|newcm|ncmp)$/, '').replace(/_\+\d+$/, '');
}
