import { boundText } from '@app/kernel';
import type { Verdict } from '../../record/verdict.js';
import type { PageSigns } from './page-signs.js';
import { PROOF, type Look, type Sign, type Signature } from './signature.js';
import { LOG_IN_ADDRESS, SIGNATURES } from './signatures.js';

/** What is known of a page when it is judged. */
export interface PageClues {
  /** Null when the page could not be read. */
  readonly page: PageSigns | null;
  /** The response of the document; null for an `html` target. */
  readonly response: { readonly status: number; readonly headers: Readonly<Record<string, string>> } | null;
  /** The URL that the caller asked for; null for an `html` target. */
  readonly requested: string | null;
}

export const MAX_EVIDENCE = 10;
const MAX_EVIDENCE_LENGTH = 200;
const MAX_HEADERS = 100;
const MAX_SHOWN_HEADER = 60;
/** A frame that covers this part of the window hides the page. */
const COVERING_SHARE = 0.5;

/** A page with less prose is no article, and one with hardly any says no more than its headings. */
const MAX_PROSE = 700;
const HARDLY_ANY_PROSE = 200;
/** Words of a page that explains errors. */
const EXPLAINS = /\b(?:status codes?|HTTP (?:errors?|responses?|status(?:es)?))\b/i;

/** The first kind of page that a signature proves, or undefined: then it is an ordinary page, or a blank one. */
export function judgeSigns(clues: PageClues): Verdict | undefined {
  const values = valuesOf(clues);
  // A caller who asked for a log-in page gets what was asked for.
  const mayBeWall = clues.requested !== null && !LOG_IN_ADDRESS.test(placeOf(clues.requested));
  for (const signature of SIGNATURES) {
    if (signature.kind === 'login_wall' && !mayBeWall) continue;
    const found = evidenceFor(signature, values);
    if (found.reduce((sum, { weight }) => sum + weight, 0) < PROOF) continue;
    return { kind: signature.kind, evidence: namedEvidence(signature, found, values) };
  }
  return undefined;
}

/** What each kind of sign looks at, and the host of the document. */
type Values = Readonly<Record<Look, readonly string[]>> & { readonly host: string };

interface Found {
  readonly weight: number;
  readonly evidence: string;
}

function valuesOf({ page, response, requested }: PageClues): Values {
  const inDocument = page !== null && !page.isLong;
  const isBrief =
    page !== null && page.prose <= MAX_PROSE && (page.prose <= HARDLY_ANY_PROSE || !EXPLAINS.test(page.text));
  const frames = page?.frames.filter(({ share }) => inDocument || share >= COVERING_SHARE) ?? [];
  return {
    status: response ? [String(response.status)] : [],
    header: headersOf(response?.headers ?? {}),
    redirect: page && requested !== null && isElsewhere(requested, page.url) ? [page.url] : [],
    title: inDocument ? [plain(page.title)] : [],
    heading: isBrief ? page.headings.map(plain) : [],
    part: isBrief ? plain(page.title).split(/\s*[|–—·•»«]\s*|\s+[-:/]+\s+|:\s+/) : [],
    text: inDocument ? [plain(page.text)] : [],
    prose: isBrief && page.prose <= HARDLY_ANY_PROSE ? ['none'] : [],
    script: inDocument ? page.scripts : [],
    code: inDocument ? page.code : [],
    element: inDocument ? page.elements : [],
    frame: frames.map(({ url }) => url),
    form: inDocument ? [formOf(page)] : [],
    host: URL.parse(page?.url ?? '')?.host ?? '',
  };
}

function plain(text: string): string {
  return text.replace(/[‘’]/g, "'").trim();
}

function headersOf(headers: Readonly<Record<string, string>>): string[] {
  const all = Object.entries(headers).slice(0, MAX_HEADERS);
  // A header that occurs several times has a line for each.
  return all.flatMap(([name, value]) =>
    value.split('\n').map((line) => `${name.toLowerCase()}: ${line.slice(0, 500)}`),
  );
}

/** Whether the page is another one than was requested. `http` and `https`, `www.` and a final slash make no difference. */
function isElsewhere(requested: string, shown: string): boolean {
  return placeOf(requested) !== placeOf(shown);
}

/** Host and path of a URL. */
function placeOf(address: string): string {
  const { host = '', pathname = '' } = URL.parse(address) ?? {};
  return `${host.replace(/^www\./, '')}${pathname.replace(/\/$/, '')}`;
}

/** A log-in page has a name and a password, sometimes a field more, and little besides. */
const MAX_LOG_IN_FIELDS = 4;
const MAX_LOG_IN_TEXT = 1_600;

/**
 * What the page is for: a log-in in the middle of the window, anything else that is filled in, or nothing of the kind. A log-in
 * box at the edge of the window belongs to an ordinary page. Two passwords are a registration.
 */
function formOf({ fields, text }: PageSigns): 'password' | 'user name' | 'other' | 'none' {
  if (fields.length === 0) return 'none';
  if (fields.length > MAX_LOG_IN_FIELDS || text.length > MAX_LOG_IN_TEXT) return 'other';
  const passwords = fields.filter(({ kind }) => kind === 'password');
  const [first, second] =
    passwords.length > 0 ? passwords : fields.filter(({ kind }) => kind === 'user name');
  if (!first || second) return 'other';
  const isCentral = first.x > 0.2 && first.x < 0.8 && first.y > 0.1 && first.y < 1;
  const isAlone = first.kind === 'password' || fields.length === 1;
  return isCentral && isAlone && first.kind !== 'other' ? first.kind : 'other';
}

function evidenceFor({ signs, widget }: Signature, values: Values): Found[] {
  const found = signs.flatMap((sign) => evidenceOf(sign, values) ?? []);
  if (!widget) return found;
  const [shown] = widget.flatMap((sign) => evidenceOf(sign, values) ?? []);
  return shown ? [shown, ...found] : [];
}

function evidenceOf([weight, look, pattern]: Sign, values: Values): Found | undefined {
  for (const value of values[look]) {
    const match =
      typeof pattern === 'string' ? pattern.split(', ').includes(value) && value : pattern.exec(value)?.[0];
    if (match !== false && match !== undefined) {
      const name = look === 'part' ? 'title' : look;
      return { weight, evidence: `${name}: ${shownOf(look, { value, match, here: values.host })}` };
    }
  }
  return undefined;
}

/** What the evidence shows of a value: never the query of a URL or a cookie, which may hold a secret. */
function shownOf(look: Look, { value, match, here }: { value: string; match: string; here: string }): string {
  switch (look) {
    case 'title':
    case 'part':
    case 'heading':
    case 'prose':
    case 'status':
    case 'form':
    case 'element':
      return value;
    case 'redirect':
    case 'script':
    case 'frame': {
      const url = URL.parse(value);
      if (!url) return value;
      if (look === 'frame' && url.host !== here) return url.host;
      return `${url.host === here ? '' : url.origin}${url.pathname}`;
    }
    case 'header':
      return value.startsWith('set-cookie:') ? match : value.slice(0, MAX_SHOWN_HEADER);
    case 'text':
    case 'code':
      return match;
    default:
      return look satisfies never;
  }
}

/** Signatures whose names add nothing to their signs. */
const NAMELESS: ReadonlySet<string> = new Set(['unknown', 'status', 'log-in form', 'identity provider']);

function namedEvidence({ kind, vendor }: Signature, found: readonly Found[], values: Values): string[] {
  const [status] = values.status;
  const signs = new Set(found.map(({ evidence }) => bounded(evidence)));
  if (kind === 'error_page' && status !== undefined && /^[45]/.test(status)) signs.add(`status: ${status}`);
  const kept = [...signs].slice(0, MAX_EVIDENCE - 1);
  return NAMELESS.has(vendor) ? kept : [...kept, `vendor: ${vendor}`];
}

function bounded(text: string): string {
  return boundText('message', text.slice(0, MAX_EVIDENCE_LENGTH).replace(/\s+/g, ' ').trim());
}
