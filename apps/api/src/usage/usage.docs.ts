import { applyDecorators } from '@nestjs/common';
import { ApiOperation, ApiResponse } from '@nestjs/swagger';
import { THRESHOLDS, type Usage } from '@app/usage';
import { ApiQueryOf } from '../openapi/parameters.docs.js';
import { ApiProblems } from '../openapi/problems.docs.js';
import { every, integer, ref, string } from '../openapi/schemas.js';
import type { EventKinds } from '../openapi/webhooks.docs.js';
import { DaysQuery } from './days.query.js';
import { UsageDays } from './days.response.js';

export const USAGE = every({
  total: { ...integer, example: 10_000 },
  used: { ...integer, example: 128 },
  available: { ...integer, description: '`total − used`, always.', example: 9_872 },
  concurrency: every({
    limit: { ...integer, example: 10 },
    remaining: { ...integer, example: 9 },
    reset_unix: { ...integer, description: 'Time by which all slots in use are free at the latest.' },
  } satisfies Record<keyof Usage['concurrency'], object>),
} satisfies Record<keyof Usage, object>);

const CHARGES = {
  total: 130,
  used: 119,
  charged: 118,
  charged_by_source: { sync: 28, job: 90, batch: 0 },
  in_progress: 1,
  cached: 2,
  failed: 8,
  canceled: 1,
  error_code: { target_dns_error: 5, capture_timeout: 3 },
};

/** Examples of responses, by the name of their schema. */
export const USAGE_EXAMPLES = {
  UsageDays: {
    from: '2026-11-21',
    to: '2026-11-22',
    counted_until: '2026-11-22T00:00:00.000Z',
    ...CHARGES,
    days: [{ day: '2026-11-21', ...CHARGES }],
  } satisfies UsageDays,
} as const;

const THRESHOLD_DATA = every({
  threshold: { ...integer, enum: [...THRESHOLDS], description: 'Percentage of `total` that is used.' },
  period: { ...string, description: 'The month, or `ever`.', example: '2026-11' },
  total: integer,
  used: integer,
  available: integer,
});

/** The webhooks of accounts. */
export const USAGE_EVENTS: EventKinds = {
  UsageEvent: {
    data: THRESHOLD_DATA,
    types: {
      'usage.threshold': [
        'An account has used 80 % or 100 % of its allowance',
        { threshold: 80, period: '2026-11', total: 10_000, used: 8_000, available: 2_000 },
      ],
    },
  },
};

const DESCRIPTION = `The unit is one capture. \`used\` counts the succeeded captures of the period and those that are accepted and not finished
yet; a failed or canceled capture returns its unit.

* The period is the calendar month (UTC), or unlimited (\`ever\`). A capture belongs to the month in which it was accepted, whenever it ends.
* \`concurrency\` counts captures in progress. Lowering the limit ends no capture: \`remaining\` is 0 until enough have ended.
* An account with its own webhook URL receives \`usage.threshold\` when 80 % and 100 % of \`total\` are used, once each per
  period, and again after \`total\` was raised.`;

export const DocumentsUsage = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({ summary: 'Show the usage', description: DESCRIPTION, operationId: 'getUsage' }),
    ApiResponse({ status: 200, content: { 'application/json': { schema: ref('Usage') } } }),
  );

const DAYS = `What was charged on each day (UTC), and what was not. A capture belongs to the day on which it was accepted, whenever it ends, so that the
sum of \`used\` over the days of a month is the \`used\` of that month.

* Deleted captures are counted, also after their records have expired.
* \`from\` is inclusive, \`to\` is exclusive: \`from=2026-11-01&to=2026-12-01\` is November. A range has at most 731 days.`;

export const DocumentsUsageDays = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({ summary: 'Show the usage by day', description: DAYS, operationId: 'getUsageByDay' }),
    ApiQueryOf(DaysQuery),
    ApiResponse({ status: 200, type: UsageDays }),
    ApiProblems('invalid_request'),
  );
