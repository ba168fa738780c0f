import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiResponse } from '@nestjs/swagger';
import { REPLAYED } from '../openapi/headers.docs.js';
import { ApiId, ApiIdempotencyKey, ApiQueryOf } from '../openapi/parameters.docs.js';
import { ApiProblems } from '../openapi/problems.docs.js';
import { ref } from '../openapi/schemas.js';
import { MONITOR_EXAMPLES } from './monitor.schemas.js';
import { ChecksQuery, MonitorsQuery } from './monitors.query.js';

const MONITOR = {
  content: {
    'application/json': { schema: ref('MonitorRecord'), example: MONITOR_EXAMPLES.MonitorRecord },
  },
};

const CREATE = `Watches a page, or several, on a schedule, and tells \`webhook_url\` and \`notify\` when something changed.

* \`schedule\` is \`cron\` with \`timezone\`, or \`every_s\`. Checks begin up to 30 seconds after their instant, so that monitors are spread.
* A change is captured again before it is reported (\`confirm\`). What differs between the captures of one check is noise, and left out.
* Each capture is charged like any other. When the allowance is at its end, the monitor pauses.`;

export const DocumentsCreate = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({ summary: 'Create a monitor', description: CREATE, operationId: 'createMonitor' }),
    ApiIdempotencyKey(),
    ApiBody({
      schema: ref('NewMonitor'),
      examples: {
        page: {
          summary: 'A page, every half hour of working days',
          value: {
            name: 'pricing',
            schedule: { cron: '*/30 8-18 * * 1-5', timezone: 'Europe/Berlin' },
            capture: { url: 'https://example.com/pricing', full_page: true, stable: true },
            alert: { min_ratio: 0.002, ignore_selectors: ['.clock'] },
            webhook_url: 'https://example.com/webhooks/capture',
          },
        },
      },
    }),
    ApiResponse({
      status: 201,
      ...MONITOR,
      headers: { Location: { description: 'URL of the monitor.', schema: { type: 'string' } } },
    }),
    ApiProblems(
      'invalid_request',
      'target_forbidden',
      'limit_reached',
      'idempotency_in_flight',
      'idempotency_mismatch',
      'result_expired',
      'payload_too_large',
      'unsupported_media_type',
    ),
  );

export const DocumentsPreview = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({
      summary: 'Preview a schedule',
      description: 'The next five instants of a schedule, in UTC. Nothing is made.',
      operationId: 'previewMonitor',
    }),
    ApiBody({
      schema: ref('MonitorPreview'),
      examples: {
        mornings: {
          summary: 'Working days at nine',
          value: { schedule: { cron: '0 9 * * 1-5', timezone: 'Europe/Paris' } },
        },
      },
    }),
    ApiResponse({ status: 200, content: { 'application/json': { schema: ref('SchedulePreview') } } }),
    ApiProblems('invalid_request', 'payload_too_large', 'unsupported_media_type'),
  );

export const DocumentsMonitors = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({
      summary: 'List monitors',
      description: 'The monitors of the account, newest first. `next_cursor` leads to the next page.',
      operationId: 'listMonitors',
    }),
    ApiQueryOf(MonitorsQuery),
    ApiResponse({ status: 200, content: { 'application/json': { schema: ref('MonitorList') } } }),
    ApiProblems('invalid_request'),
  );

export const DocumentsMonitor = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({
      summary: 'Show a monitor',
      description: 'The monitor, when it runs next, and its latest check.',
      operationId: 'getMonitor',
    }),
    ApiId(),
    ApiResponse({ status: 200, ...MONITOR }),
    ApiProblems('not_found'),
  );

const CHANGE = `Changes what the body states. \`capture\` or \`batch\` replaces all pages, and the next check has nothing to compare with.
A \`schedule\` begins now. Fields of \`alert\` and \`keep\` that are missing stay; \`notify\` replaces all receivers. \`"webhook_url": null\` removes the address.`;

export const DocumentsChange = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({ summary: 'Change a monitor', description: CHANGE, operationId: 'changeMonitor' }),
    ApiId(),
    ApiBody({
      schema: ref('MonitorChange'),
      examples: { name: { summary: 'A name', value: { name: 'prices' } } },
    }),
    ApiResponse({ status: 200, ...MONITOR }),
    ApiProblems(
      'invalid_request',
      'target_forbidden',
      'not_found',
      'payload_too_large',
      'unsupported_media_type',
    ),
  );

export const DocumentsDelete = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({
      summary: 'Delete a monitor',
      description:
        'Deletes the monitor and its checks. Its captures keep their records and files until they expire.',
      operationId: 'deleteMonitor',
    }),
    ApiId(),
    ApiResponse({ status: 204, description: 'The monitor is deleted.' }),
    ApiProblems('not_found'),
  );

interface ActionDocs {
  readonly summary: string;
  readonly description: string;
  readonly operationId: string;
  readonly status?: number;
}

const documentsAction = ({ status = 200, ...operation }: ActionDocs): MethodDecorator =>
  applyDecorators(
    ApiOperation(operation),
    ApiId(),
    ApiIdempotencyKey(),
    ApiResponse({ status, ...MONITOR, headers: REPLAYED }),
    ApiProblems('invalid_request', 'not_found', 'idempotency_in_flight', 'idempotency_mismatch'),
  );

export const DocumentsRun = (): MethodDecorator =>
  documentsAction({
    summary: 'Check now',
    description:
      'Checks the pages now, also while the monitor is paused. While a check is in progress, the new one is `skipped`.',
    operationId: 'runMonitor',
    status: 202,
  });

export const DocumentsPause = (): MethodDecorator =>
  documentsAction({
    summary: 'Pause a monitor',
    description: 'Stops checking until the monitor is resumed. A repeated request changes nothing.',
    operationId: 'pauseMonitor',
  });

export const DocumentsResume = (): MethodDecorator =>
  documentsAction({
    summary: 'Resume a monitor',
    description: 'Goes on with the next instant. Instants that passed meanwhile are one `skipped` check.',
    operationId: 'resumeMonitor',
  });

export const DocumentsChecks = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({
      summary: 'List the checks of a monitor',
      description:
        'The checks, latest first: one for each page and instant. They are kept as long as records of captures. `next_cursor` leads to the next page.',
      operationId: 'listMonitorChecks',
    }),
    ApiId(),
    ApiQueryOf(ChecksQuery),
    ApiResponse({ status: 200, content: { 'application/json': { schema: ref('MonitorCheckList') } } }),
    ApiProblems('invalid_request', 'not_found'),
  );
