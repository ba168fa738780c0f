import { expect } from '@jest/globals';
import { ERRORS, type ErrorCode, type Fault } from '@app/kernel';
import type { TestApi } from '../support/api.js';
import type { Json } from '../support/client.js';

/** A secret that rows of the matrix put wherever a caller may; no response may contain it. */
export const SECRET = 'hunter2';

/** Internals that no response may contain: stacks, file names, SQL, addresses, messages of the database. */
const INTERNALS =
  /\bat \S+ \(|node:internal|node_modules|\.ts:\d|\.js:\d|\b(SELECT|INSERT|UPDATE|relation|constraint)\b|\bcolumn \\"|postgres|\b127\.0\.0\.1\b|\[::1\]|169\.254\.|in JSON at|\.\.\. is not valid JSON/;

/** The refusal in a response, as rows of the matrix write it: `400 invalid_request /url`. */
export async function refusalOf(answer: Response | Promise<Response>): Promise<string> {
  const response = await answer;
  const text = await response.text();
  expect(response.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
  return readProblem(JSON.parse(text) as Json, response.status, response.headers.get('x-request-id'));
}

/** Checks what every problem document promises; returns its status, its code and the pointers of its faults. */
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
  // The detail must say more than the title.
  expect(String(problem.detail).replace(/\.$/, '')).not.toBe(problem.title);
  expect(JSON.stringify(problem)).not.toMatch(INTERNALS);
  expect(JSON.stringify(problem)).not.toContain(SECRET);
  const pointers = ((problem.errors ?? []) as Fault[]).map(({ pointer }) => pointer);
  return [status, code, ...new Set(pointers)].join(' ');
}

/** The numbers of everything that an accepted capture leaves behind. */
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
