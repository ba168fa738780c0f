import { expect } from '@jest/globals';
import { ERRORS, type ErrorCode, type Fault } from '@app/kernel';
import type { TestApi } from '../support/api.js';
import type { Json } from '../support/client.js';

/** A secret that rows of the matrix put where a caller may put one; no answer may hold it. */
export const SECRET = 'hunter2';

/** What only the inside knows: stacks, file names, SQL, addresses, the database's own words. */
const INSIDE =
  /\bat \S+ \(|node:internal|node_modules|\.ts:\d|\.js:\d|\b(SELECT|INSERT|UPDATE|relation|constraint)\b|\bcolumn \\"|postgres|\b127\.0\.0\.1\b|\[::1\]|169\.254\.|in JSON at|\.\.\. is not valid JSON/;

/** What was refused, as a row of the matrix states it: `400 invalid_request /url`. */
export async function refusalOf(answer: Response | Promise<Response>): Promise<string> {
  const response = await answer;
  const text = await response.text();
  expect(response.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
  return readProblem(JSON.parse(text) as Json, response.status, response.headers.get('x-request-id'));
}

/** Holds a problem document against what every one promises, and says which it is. */
export function readProblem(problem: Json, status: number, requestId: string | null): string {
  const code = problem.code as ErrorCode;
  expect(problem).toMatchObject({
    type: `/docs/errors#${code}`,
    title: ERRORS[code].title,
    status,
    retryable: ERRORS[code].retryable,
    request_id: requestId,
    detail: expect.stringMatching(/./),
  });
  expect(ERRORS[code].status).toBe(status);
  // A caller has read the title already.
  expect(String(problem.detail).replace(/\.$/, '')).not.toBe(problem.title);
  expect(JSON.stringify(problem)).not.toMatch(INSIDE);
  expect(JSON.stringify(problem)).not.toContain(SECRET);
  const pointers = ((problem.errors ?? []) as Fault[]).map(({ pointer }) => pointer);
  return [status, code, ...new Set(pointers)].join(' ');
}

/** Everything that an accepted capture would leave behind. */
export async function tracesIn({ database }: TestApi): Promise<Json> {
  const { rows } = await database.query<Json>(
    `SELECT (SELECT count(*)::int FROM batches) AS batches,
            (SELECT count(*)::int FROM jobs) AS jobs,
            (SELECT count(*)::int FROM concurrency_slots) AS slots,
            (SELECT coalesce(sum(used), 0)::int FROM usage_counters) AS charged`,
  );
  return rows[0] ?? {};
}

export const NO_TRACES = { batches: 0, jobs: 0, slots: 0, charged: 0 };
