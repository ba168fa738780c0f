/**
 * The SQL of a page of captures with a filter. The captures of an account are divided into kinds: combinations of outcome
 * (status, verdict and change), source and format. Within one kind an index has the captures in the order of the page, so
 * a filter opens the kinds that it allows, and takes the newest captures of all of them:
 *
 *   newest   reads up to 4 captures of each kind
 *   more     reads on in the kinds that had so many, down to the last capture of a page of `newest`, because none that
 *            is older can be part of the page
 *
 * Most of the kinds are empty, and an index finds that out in some microseconds. Reading a whole page of each kind would
 * cost many times more for an account that has captures of hundreds of kinds.
 */
import { FORMAT_NAMES, VERDICTS, type Format, type Verdict } from '@app/capture';
import { JOB_SOURCES, type JobSource, type JobStatus } from '../job/job-state.js';

/** The filters that the kind of a capture decides. */
export interface KindFilter {
  readonly status?: JobStatus;
  readonly source?: JobSource;
  /** The format of the first file. */
  readonly format?: Format;
  readonly verdict?: Verdict['kind'];
  /** Matches only captures that were compared. */
  readonly changed?: boolean;
  /** Whether the record has an error: it has one if and only if the capture failed. */
  readonly hasError?: boolean;
}

/** Where there is no verdict or no comparison, the text is empty, because an index cannot search for NULL and a value alike. */
interface Outcome {
  readonly status: JobStatus;
  readonly verdict: '' | Verdict['kind'];
  readonly changed: '' | 'true' | 'false';
}

/** The outcomes that a capture can have; the constraint jobs_outcome_check permits no others. */
const OUTCOMES: readonly Outcome[] = [
  ...outcomesOf('queued'),
  ...outcomesOf('running'),
  ...outcomesOf('canceled'),
  ...outcomesOf('failed', ['', ...VERDICTS]),
  ...outcomesOf('succeeded', ['', ...VERDICTS], ['', 'true', 'false']),
];

function outcomesOf(
  status: JobStatus,
  verdicts: readonly Outcome['verdict'][] = [''],
  changes: readonly Outcome['changed'][] = [''],
): Outcome[] {
  return verdicts.flatMap((verdict) => changes.map((changed) => ({ status, verdict, changed })));
}

/** The parameters of `ofKinds` that open the kinds which the filter allows. */
export function allowedKinds({ source, format, ...filter }: KindFilter): Record<string, readonly string[]> {
  const outcomes = OUTCOMES.filter((outcome) => allows(filter, outcome));
  return {
    statuses: outcomes.map(({ status }) => status),
    verdicts: outcomes.map(({ verdict }) => verdict),
    changes: outcomes.map(({ changed }) => changed),
    sources: source === undefined ? JOB_SOURCES : [source],
    formats: format === undefined ? FORMAT_NAMES : [format],
  };
}

function allows({ status, verdict, changed, hasError }: KindFilter, outcome: Outcome): boolean {
  return (
    (status === undefined || status === outcome.status) &&
    (verdict === undefined || verdict === outcome.verdict) &&
    (changed === undefined || String(changed) === outcome.changed) &&
    (hasError === undefined || hasError === (outcome.status === 'failed'))
  );
}

/** How many captures of each kind are read first. More would cost much for hundreds of kinds, fewer for some dozens. */
const FIRST = 4;

const ORDER = 'ORDER BY created_at DESC, id DESC';

/** The columns of the indexes jobs_by_kind, jobs_by_host, jobs_by_reference and jobs_by_reference_and_host. */
const OF_KIND = `
  status = open.status AND source = open.source AND format = open.format
  AND coalesce(verdict ->> 'kind', '') = open.verdict AND coalesce(changed::text, '') = open.changed`;

/** Returns the query for the ids of a page; it needs the parameters of `allowedKinds` and `rows`. */
export function ofKinds(conditions: readonly string[]): string {
  const rowsOfKind = `SELECT id, created_at FROM jobs WHERE ${[...conditions, OF_KIND].join(' AND ')}`;
  return `
    WITH newest AS MATERIALIZED (
      SELECT open.*, found.*
        FROM (SELECT outcome.*, source, format
                FROM unnest(:statuses::text[], :verdicts::text[], :changes::text[]) AS outcome (status, verdict, changed),
                     unnest(:sources::text[]) AS source, unnest(:formats::text[]) AS format) AS open,
             LATERAL (SELECT *, row_number() OVER (${ORDER}) AS nth
                        FROM (${rowsOfKind} ${ORDER} LIMIT ${FIRST}) AS of_kind) AS found),
    page AS (SELECT CASE WHEN count(*) = :rows THEN min(created_at) ELSE '-infinity' END AS ends_at
               FROM (SELECT created_at FROM newest ${ORDER} LIMIT :rows) AS first_page),
    more AS (
      SELECT found.*
        FROM (SELECT newest.*, created_at AS last_created_at, id AS last_id, ends_at
                FROM newest, page WHERE nth = ${FIRST} AND created_at >= ends_at) AS open,
             LATERAL (${rowsOfKind} AND (created_at, id) < (last_created_at, last_id) AND created_at >= ends_at
                       ${ORDER} LIMIT :rows) AS found)
    SELECT id FROM (SELECT id, created_at FROM newest UNION ALL SELECT id, created_at FROM more) AS found
     ${ORDER} LIMIT :rows`;
}
