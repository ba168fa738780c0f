import { REDACTED } from '../../../capture-record/again-path.js';
import { isSecret, OPTIONS, type Values } from './options.js';

/** How a record shows HTML that is longer. */
const CUT_HTML = /^[^]{999,1000}…$/;

export interface LinkedForm {
  readonly values: Values;
  /** Options that a link or a record has without their values. */
  readonly missing: readonly string[];
  /** Why the link has no options that the form can show. */
  readonly fault?: string | undefined;
}

/** The names of the options that are secret, of those that are stated. */
export function secretsOf(values: Values): string[] {
  return Object.keys(values).filter((name) => isSecret(OPTIONS.get(name)));
}

/** The address of the form with these options. They stand behind the #, which no server sees; secrets are left out. */
export function formLink(origin: string, values: Values): string {
  const secrets = new Set(secretsOf(values));
  const open = Object.fromEntries(Object.entries(values).filter(([name]) => !secrets.has(name)));
  return `${origin}/console/capture#options=${encodeURIComponent(JSON.stringify(open))}`;
}

/** The options in the query or the fragment of an address; undefined when it has none. */
export function optionsIn(search: string, hash: string): string | undefined {
  const inHash = new URLSearchParams(hash.replace(/^#/, '')).get('options');
  return inHash ?? new URLSearchParams(search).get('options') ?? undefined;
}

/** The form of a link, or of the options of a record. What this form does not know is left out and told. */
export function linkedForm(text: string): LinkedForm {
  let linked: unknown;
  try {
    linked = JSON.parse(text);
  } catch {
    return { values: {}, missing: [], fault: 'The link is damaged: its options are not JSON.' };
  }
  if (typeof linked !== 'object' || linked === null || Array.isArray(linked))
    return { values: {}, missing: [], fault: 'The link is damaged: its options are not a JSON object.' };
  const unknown = Object.keys(linked).filter((name) => !OPTIONS.has(name));
  const form = knownForm(linked as Values);
  return unknown.length === 0
    ? form
    : { ...form, fault: `The link has unknown options: ${unknown.join(', ')}.` };
}

/** The options without what a record only hints at: secrets that it hides, and HTML that it cuts. */
export function knownForm(values: Values): LinkedForm {
  const isGone = (name: string, value: unknown) =>
    (value === REDACTED && isSecret(OPTIONS.get(name))) ||
    (name === 'html' && typeof value === 'string' && CUT_HTML.test(value));
  const entries = Object.entries(values).filter(([name]) => OPTIONS.has(name));
  return {
    values: Object.fromEntries(entries.filter(([name, value]) => !isGone(name, value))),
    missing: entries.filter(([name, value]) => isGone(name, value)).map(([name]) => name),
  };
}
