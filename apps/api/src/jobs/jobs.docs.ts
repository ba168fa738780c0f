import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiResponse } from '@nestjs/swagger';
import { WaitQuery } from '../http/wait.query.js';
import { ApiRecordEvents } from '../openapi/event-stream.docs.js';
import { locationOf, REPLAYED } from '../openapi/headers.docs.js';
import { ApiId, ApiIdempotencyKey, ApiQueryOf } from '../openapi/parameters.docs.js';
import { ApiProblems, SUBMISSION_ERRORS } from '../openapi/problems.docs.js';
import { ref } from '../openapi/schemas.js';
import { JobRecord } from './job.response.js';
import { JOB_EXAMPLES } from './job.schemas.js';

const SUBMIT = `Accepts a capture and responds immediately with its job. An accepted capture is executed, whatever fails in the meantime.

* A job is never refused for concurrency: it is queued. \`queue_position\` is its position among your queued jobs.
* To learn of its end, use \`GET /v1/jobs/{id}?wait=30\`, its events, or \`webhook_url\`.
* \`webhook_url\` receives \`capture.succeeded\`, \`capture.failed\` or \`capture.canceled\` as a POST, signed by Standard
  Webhooks 1.0 and retried for three days. It must be a public https address.
* With \`compare_with\`, it receives \`capture.changed\` as well if the page has changed.`;

const REQUEST_EXAMPLES = {
  webhook: {
    summary: 'A picture, and a webhook at the end',
    value: { url: 'https://example.com', webhook_url: 'https://example.com/webhooks/capture' },
  },
  pdf: {
    summary: 'A PDF with your own tag',
    value: { url: 'https://example.com', format: 'pdf', reference: 'order-1234' },
  },
};

export const DocumentsSubmit = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({ summary: 'Submit a job', description: SUBMIT, operationId: 'submitJob' }),
    ApiIdempotencyKey(),
    ApiBody({ schema: ref('JobRequest'), examples: REQUEST_EXAMPLES }),
    ApiResponse({
      status: 202,
      description: 'The job is accepted.',
      headers: { ...locationOf('The job.'), ...REPLAYED },
      content: { 'application/json': { schema: ref('JobRecord'), example: JOB_EXAMPLES.AcceptedJob } },
    }),
    ApiProblems(...SUBMISSION_ERRORS),
  );

export const DocumentsJob = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({
      summary: 'Show a job',
      description: 'With `wait`, the response is sent as soon as the job has a final status.',
      operationId: 'getJob',
    }),
    ApiId(),
    ApiQueryOf(WaitQuery),
    ApiResponse({ status: 200, type: JobRecord }),
    ApiProblems('invalid_request', 'not_found'),
  );

export const DocumentsCancel = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({
      summary: 'Cancel a job',
      description:
        'The job is `canceled` immediately, even if it is running: its page is closed within 2 seconds, a late result ' +
        'is discarded, and nothing is charged. A repeated request has the same response.',
      operationId: 'cancelJob',
    }),
    ApiId(),
    ApiResponse({
      status: 200,
      content: { 'application/json': { schema: ref('JobRecord'), example: JOB_EXAMPLES.CanceledJob } },
    }),
    ApiProblems('not_found', 'job_finished'),
  );

const EVENTS = `Sends the record immediately, and again at every change of status, attempt, position in the queue or phase, as
server-sent events named \`job\`. The stream ends after the final status. A comment line, which begins with a colon, keeps the
connection alive every 15 seconds. A client that reconnects with the \`Last-Event-ID\` of the final status gets 204.`;

export const DocumentsEvents = (): MethodDecorator =>
  ApiRecordEvents({
    summary: 'Follow a job',
    description: EVENTS,
    operationId: 'followJob',
    example: { name: 'job', id: 'running.1.navigate', data: JOB_EXAMPLES.JobRecord },
    seen: 'final status',
  });
