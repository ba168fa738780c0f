import { applyDecorators } from '@nestjs/common';
import { ApiResponse, type ApiResponseOptions } from '@nestjs/swagger';
import { AppError, ERRORS, type AppErrorFacts, type ErrorCode } from '@app/kernel';
import { toProblem } from '../http/problem.js';
import { ID, ref } from './schemas.js';

const PROBLEM_TYPE = 'application/problem+json';

/** Facts that make an example more than its title. */
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
    errors: [
      {
        pointer: 'viewport_width',
        row: 3,
        column: 'viewport_width',
        line: 4,
        code: 'out_of_range',
        detail: 'must be a whole number between 16 and 7680',
      },
    ],
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
  job_not_finished: { detail: 'The capture is running.' },
};

/** Every error that a capture itself can end in. */
export const CAPTURE_ERRORS = (Object.keys(ERRORS) as ErrorCode[]).filter(
  (code) => ERRORS[code].status === 422 && code !== 'idempotency_mismatch',
);

/** The responses of an operation that are these problems, one for each status, with an example of each code. */
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
