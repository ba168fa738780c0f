import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiResponse } from '@nestjs/swagger';
import type { WebhookSummary } from '@app/webhooks';
import { ApiId, ApiQueryOf } from '../openapi/parameters.docs.js';
import { ApiProblems } from '../openapi/problems.docs.js';
import { requestSchemaOf } from '../openapi/request-schemas.js';
import { every, integer, ref, string } from '../openapi/schemas.js';
import type { EventKinds } from '../openapi/webhooks.docs.js';
import { DeliveriesQuery } from './deliveries.query.js';
import { DeliveryList, DeliveryRecord, WebhookSecret } from './delivery.response.js';
import { WebhookTestRequest } from './webhook-test.request.js';

/** The body of `POST /v1/webhooks/test`. */
export const WEBHOOK_TEST_REQUEST = { ...requestSchemaOf(WebhookTestRequest), required: ['url'] };

/** The webhooks that test an endpoint. */
export const TEST_EVENTS: EventKinds = {
  WebhookTestEvent: {
    data: every({ message: { ...string, description: 'A sentence for people.' } }),
    types: {
      'webhook.test': [
        'A caller tests an endpoint (`POST /v1/webhooks/test`)',
        { message: 'This is a test of your webhook endpoint.' },
      ],
    },
  },
};

const LIST_DESCRIPTION = `The deliveries of the account, newest first. \`next_cursor\` leads to the next page. A finished delivery is kept for 30 days, but
not longer than the record of its job or batch.`;

export const DocumentsDeliveries = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({
      summary: 'List deliveries',
      description: LIST_DESCRIPTION,
      operationId: 'listDeliveries',
    }),
    ApiQueryOf(DeliveriesQuery),
    ApiResponse({ status: 200, type: DeliveryList }),
    ApiProblems('invalid_request'),
  );

export const DocumentsDelivery = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({
      summary: 'Show a delivery',
      description: 'The delivery with the log of its attempts and the body as it is sent.',
      operationId: 'getDelivery',
    }),
    ApiId(),
    ApiResponse({ status: 200, type: DeliveryRecord }),
    ApiProblems('not_found'),
  );

const REPLAY_DESCRIPTION = `Sends the event again at once with the same \`webhook-id\`, whatever the state of the delivery. The schedule of its
attempts restarts, and an endpoint that responded with 410 receives webhooks again.

* A delivery whose first attempt is still to come or in progress is not changed, so that two requests at once send it once.
* The URL must be acceptable as a \`webhook_url\` now.`;

export const DocumentsReplay = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({
      summary: 'Send a delivery again',
      description: REPLAY_DESCRIPTION,
      operationId: 'replayDelivery',
    }),
    ApiId(),
    ApiResponse({ status: 202, type: DeliveryRecord }),
    ApiProblems('invalid_request', 'target_forbidden', 'not_found'),
  );

export const DocumentsSecret = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({
      summary: 'Show the secret',
      description:
        'The secret that signs the webhooks of the account. It is created when it is first needed.',
      operationId: 'getWebhookSecret',
    }),
    ApiResponse({ status: 200, type: WebhookSecret }),
  );

const ROTATION_DESCRIPTION = `Creates a new secret. For 24 hours the previous one also signs every webhook (\`previous_until\`), so that receivers can
switch at any time.

* A second rotation within a minute changes nothing: its response is the secret of the first one.
* A later rotation within the 24 hours replaces the previous secret by the current one: the earlier one no longer signs.`;

export const DocumentsRotation = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({
      summary: 'Rotate the secret',
      description: ROTATION_DESCRIPTION,
      operationId: 'rotateWebhookSecret',
    }),
    ApiResponse({ status: 200, type: WebhookSecret }),
  );

const TEST_DESCRIPTION = `Sends the event \`webhook.test\` to this URL, signed like every webhook. The response is the delivery;
\`GET /v1/webhooks/deliveries/{id}\` shows whether the endpoint has responded.

* It is attempted once: the state is \`delivered\`, \`failed\` or \`stopped\` after at most 15 s.
* An endpoint that responded with 410 receives webhooks again.`;

export const DocumentsTest = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({ summary: 'Test an endpoint', description: TEST_DESCRIPTION, operationId: 'testWebhook' }),
    ApiBody({
      schema: ref('WebhookTestRequest'),
      examples: {
        endpoint: { summary: 'An endpoint', value: { url: 'https://example.com/webhooks/capture' } },
      },
    }),
    ApiResponse({
      status: 202,
      type: DeliveryRecord,
      headers: { Location: { description: 'URL of the delivery.', schema: { type: 'string' } } },
    }),
    ApiProblems('invalid_request', 'target_forbidden', 'payload_too_large', 'unsupported_media_type'),
  );

/** An attempt, in the log of a delivery. */
export const DELIVERY_ATTEMPT = every({
  at: { ...string, format: 'date-time' },
  status: { type: ['integer', 'null'], description: 'Status of the response; null without one.' },
  error: { type: ['string', 'null'], description: 'Why the attempt has failed; null if it has not.' },
  duration_ms: integer,
} satisfies Record<keyof WebhookSummary['log'][number], object>);

/** A delivery, as the record of a job or a batch shows it. */
export const WEBHOOK_DELIVERY = {
  ...every({
    id: {
      type: ['string', 'null'],
      format: 'uuid',
      description: '`webhook-id` of the event; null before the event.',
    },
    url: string,
    state: {
      ...string,
      enum: ['waiting', 'pending', 'delivered', 'failed', 'stopped'] satisfies WebhookSummary['state'][],
      description:
        '`waiting`: the event has not happened yet. `pending`: it is being delivered. `failed`: all attempts have failed. `stopped`: the endpoint responded with 410.',
    },
    attempts: integer,
    last_status: {
      type: ['integer', 'null'],
      description: 'Last status of the endpoint; null when it did not respond.',
    },
    next_attempt_at: { type: ['string', 'null'], format: 'date-time' },
    log: {
      type: 'array',
      items: ref('DeliveryAttempt'),
    },
  } satisfies Record<keyof WebhookSummary, object>),
  description: 'The delivery of the webhook of a job or a batch.',
};
