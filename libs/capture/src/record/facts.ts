import { ACTION_FACTS } from './actions.js';
import { COMPARISON_FACTS } from './change.js';
import { COMPLETENESS_FACTS } from './completeness.js';
import { CONSENT_FACTS } from './consent.js';
import { DOCUMENT_FACTS } from './document.js';
import { definitionsOf, type FoundFacts, type NamesWith } from './fact.js';
import { FILE_FACTS } from './file.js';
import { OVERLAY_FACTS } from './overlays.js';
import { PAGE_FACTS } from './page-metadata.js';
import { READINESS_FACTS } from './readiness.js';
import { REQUEST_FACTS } from './requests.js';
import { SESSION_FACTS } from './session.js';
import { STABLE_FACTS } from './stable.js';
import { VERDICT_FACTS } from './verdict.js';

/**
 * The facts of a capture, in the order in which the record shows them. Between these parts it shows what the service knows of the
 * capture itself.
 */
export const RECORD_PARTS = {
  document: DOCUMENT_FACTS,
  file: { ...FILE_FACTS, ...COMPLETENESS_FACTS },
  reports: {
    ...REQUEST_FACTS,
    ...CONSENT_FACTS,
    ...OVERLAY_FACTS,
    ...ACTION_FACTS,
    ...SESSION_FACTS,
    ...READINESS_FACTS,
    ...VERDICT_FACTS,
    ...STABLE_FACTS,
    ...PAGE_FACTS,
    ...COMPARISON_FACTS,
  },
};

/** Every column of a fact, by the name of its property. */
export const FACTS = { ...RECORD_PARTS.document, ...RECORD_PARTS.file, ...RECORD_PARTS.reports };

type AllFacts = FoundFacts<typeof FACTS>;
type ComparisonFacts = FoundFacts<typeof COMPARISON_FACTS>;

/** What a visit finds out about a page; stored with the job and shown in its record. */
export type CaptureFacts = Omit<AllFacts, keyof ComparisonFacts>;

/** What the record of a capture says about its file. */
export type FileFacts = Pick<AllFacts, NamesWith<typeof FACTS, { readonly isOfFile: true }>>;

/** The facts that a failed capture reports: it has no file, and its page may be incomplete in any way. */
export type FailedFacts = Pick<AllFacts, NamesWith<typeof FACTS, { readonly whenFailed: true }>>;

const ALL = definitionsOf(FACTS).filter(([, { empty }]) => empty !== undefined);
const COMPARED = new Set(Object.keys(COMPARISON_FACTS));
const OF_VISIT = ALL.filter(([name]) => !COMPARED.has(name));
const OF_FILE = OF_VISIT.filter(([, { isOfFile }]) => isOfFile);
const OF_FAILED = OF_VISIT.filter(([, { whenFailed }]) => whenFailed);

/** The facts of a visit that has not begun. */
export function noFacts(): CaptureFacts {
  return emptyOf(OF_VISIT) as CaptureFacts;
}

/** The facts of a file of which nothing is known. */
export function noFileFacts(): FileFacts {
  return emptyOf(OF_FILE) as FileFacts;
}

function emptyOf(facts: typeof ALL): unknown {
  return Object.fromEntries(facts.map(([name, { empty }]) => [name, empty?.()]));
}

/** The facts that hold even though there is no file. */
export function withoutFile(facts: CaptureFacts): FailedFacts {
  return pick(facts, OF_FAILED) as FailedFacts;
}

function pick(facts: object, picked: typeof ALL): unknown {
  const values = new Map<string, unknown>(Object.entries(facts));
  return Object.fromEntries(picked.map(([name]) => [name, values.get(name)]));
}

/** The facts of a capture that failed before it reached its page. */
export const NO_FACTS: FailedFacts = withoutFile(noFacts());
