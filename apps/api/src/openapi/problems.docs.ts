import { applyDecorators } from '@nestjs/common';
import { ApiResponse, type ApiResponseOptions } from '@nestjs/swagger';
import { MAX_BAD_ROWS, MAX_FAULTS } from '@app/bulk';
import { AppError, ERROR_CODES, ERRORS, PHASES, type AppErrorFacts, type ErrorCode } from '@app/kernel';
import { toProblem } from '../http/errors/problem.js';
import { boolean, ID, integer, ref, string } from './schemas.js';

const PROBLEM_TYPE = 'application/problem+json';

/** The fault of a row of a CSV. */
export const ROW_FAULT = {
  pointer: 'viewport_width',
  row: 3,
  column: 'viewport_width',
  line: 4,
  code: 'out_of_range',
  detail: 'must be a whole number between 16 and 7680',
};

/** The errors of every route that accepts captures in the background. */
export const SUBMISSION_ERRORS = [
  'invalid_request',
  'allowance_exhausted',
  'target_forbidden',
  'account_paused',
  'limit_reached',
  'idempotency_in_flight',
  'result_expired',
  'payload_too_large',
  'unsupported_media_type',
  'idempotency_mismatch',
] as const satisfies readonly ErrorCode[];

/** Facts for examples of errors that have more than a title. */
const EXAMPLES: Partial<Record<ErrorCode, AppErrorFacts>> = {
  invalid_request: {
    detail: 'viewport_width must be a whole number between 16 and 7680',
    errors: [
      {
        pointer: '/viewport_width',
        code: 'out_of_range',
        detail: 'must be a whole number between 16 and 7680',
      },
    ],
  },
  invalid_csv: {
    detail:
      '1 of 3 rows is not valid; nothing is stored. Correct the faults in errors, or send on_invalid=skip to capture the other rows.',
    errors: [ROW_FAULT],
  },
  target_dns_error: {
    detail: 'Could not resolve exmaple.com',
    netError: 'net::ERR_NAME_NOT_RESOLVED',
    phase: 'navigate',
  },
  capture_timeout: {
    detail: 'The page was still loading after 60000 ms.',
    phase: 'navigate',
    elapsedMs: 60_000,
  },
  condition_failed: {
    detail: 'The page is judged as bot_wall, which fail_on_verdict lists.',
    phase: 'render',
    verdict: {
      kind: 'bot_wall',
      evidence: ['header: cf-mitigated: challenge', 'title: Just a moment...', 'vendor: Cloudflare'],
    },
  },
  job_not_finished: { detail: 'The capture is running.' },
};

/** The error responses of an operation, one for each status, with an example of each code. */
export function problemResponses(codes: readonly ErrorCode[]): ApiResponseOptions[] {
  const statuses = new Set(codes.map((code) => ERRORS[code].status));
  return [...statuses].map((status) => {
    const ofStatus = codes.filter((code) => ERRORS[code].status === status);
    return {
      status,
      description: ofStatus.map((code) => `\`${code}\`: ${ERRORS[code].doc}`).join('\n\n'),
      content: { [PROBLEM_TYPE]: { schema: ref('Problem'), examples: examplesOf(ofStatus) } },
    };
  });
}

/** The operation may fail with these codes. */
export const ApiProblems = (...codes: ErrorCode[]): MethodDecorator =>
  applyDecorators(...problemResponses(codes).map((response) => ApiResponse(response)));

function examplesOf(codes: readonly ErrorCode[]) {
  return Object.fromEntries(
    codes.map((code) => [
      code,
      { summary: ERRORS[code].title, value: toProblem(new AppError(code, EXAMPLES[code]), ID.example) },
    ]),
  );
}

const FIELD_ERROR = {
  type: 'object',
  required: ['pointer', 'code', 'detail'],
  properties: {
    pointer: { ...string, description: 'JSON pointer (RFC 6901) to the field, or the name of a header.' },
    code: { ...string, example: 'out_of_range' },
    detail: { ...string, description: 'What is wrong and how to correct it.' },
    row: {
      ...integer,
      description: 'In a batch: the number of the row, from 1, not counting the header of a CSV.',
    },
    column: { ...string, description: 'In a batch: the column of the CSV, or the field of the item.' },
    line: { ...integer, description: 'In a CSV: the line of the file where the row begins, from 1.' },
  },
};

const FAILURE = {
  type: { ...string, example: '/docs/errors#target_dns_error' },
  title: string,
  detail: string,
  code: { ...string, enum: ERROR_CODES },
  retryable: { ...boolean, description: 'Whether the same request may succeed later.' },
  net_error: { ...string, description: 'The error of the browser.', example: 'net::ERR_NAME_NOT_RESOLVED' },
  phase: { ...string, enum: PHASES },
  elapsed_ms: integer,
  errors: { type: 'array', items: ref('FieldError') },
  verdict: ref('Verdict'),
  retry_after_s: {
    ...integer,
    description:
      'With `target_http_error`: the seconds after which the target asks to come back (`Retry-After`).',
  },
};
const FAILURE_REQUIRED = ['type', 'title', 'detail', 'code', 'retryable'];

/** The fields of an error that no capture has. */
const OF_ANSWERS = {
  status: integer,
  request_id: { ...string, example: ID.example },
  rows_checked: {
    ...integer,
    description: `The rows of a batch that were checked, if it is refused at its ${MAX_BAD_ROWS}th invalid row or ${MAX_FAULTS}th error. Nothing is known of the others.`,
  },
};

/** The schemas of errors, by name. */
export const PROBLEM_SCHEMAS = {
  Problem: {
    type: 'object',
    description: 'A problem document (RFC 9457).',
    required: [...FAILURE_REQUIRED, 'status', 'request_id'],
    properties: { ...FAILURE, ...OF_ANSWERS },
  },
  CaptureFailure: {
    type: 'object',
    description: 'The error of a failed capture: a problem without `status` and `request_id`.',
    required: FAILURE_REQUIRED,
    properties: FAILURE,
  },
  FieldError: FIELD_ERROR,
};
