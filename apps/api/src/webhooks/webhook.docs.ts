import type { WebhookSummary } from '@app/webhooks';
import { every, integer, ref, string } from '../openapi/schemas.js';

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
