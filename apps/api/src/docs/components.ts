import { MAX_FAULTS, MAX_ROWS } from '@app/bulk';
import { CaptureOptions, DEVICE_CATEGORIES } from '@app/capture';
import { compose, ERROR_CODES, PHASES, type AnyClass } from '@app/kernel';
import { JsonBatchRequest } from '../bulk/json-batch.request.js';
import { WebhookField } from '../jobs/webhook-target.service.js';
import { requestSchemaOf } from './request-schemas.js';
import { ID, ref } from './schemas.js';

const integer = { type: 'integer' };
const string = { type: 'string' };
const boolean = { type: 'boolean' };

const FIELD_ERROR = {
  type: 'object',
  required: ['pointer', 'code', 'detail'],
  properties: {
    pointer: { ...string, description: 'JSON pointer (RFC 6901) to the field, or the name of a header.' },
    code: { ...string, example: 'out_of_range' },
    detail: { ...string, description: 'What is wrong and how to correct it.' },
    row: {
      ...integer,
      description: 'Of a batch: the number of the row, from 1, the header of a CSV not counted.',
    },
    column: { ...string, description: 'Of a batch: the column, or the field of the item.' },
    line: { ...integer, description: 'Of a CSV: the line of the file in which the row begins, from 1.' },
  },
};

const FAILURE = {
  type: { ...string, example: '/docs/errors#target_dns_error' },
  title: string,
  detail: string,
  code: { ...string, enum: ERROR_CODES },
  retryable: { ...boolean, description: 'Whether the same request may succeed later without a change.' },
  net_error: { ...string, description: 'What the browser said.', example: 'net::ERR_NAME_NOT_RESOLVED' },
  phase: { ...string, enum: PHASES },
  elapsed_ms: integer,
  errors: { type: 'array', items: ref('FieldError') },
};
const FAILURE_REQUIRED = ['type', 'title', 'detail', 'code', 'retryable'];

const every = (properties: object) => ({ type: 'object', required: Object.keys(properties), properties });

const JOB_REQUEST = requestSchemaOf(
  compose('JobRequest', [CaptureOptions as AnyClass, WebhookField as AnyClass]),
);

const JSON_BATCH_REQUEST = requestSchemaOf(JsonBatchRequest) as { properties: Record<string, object> };

const JSON_BATCH = {
  ...JSON_BATCH_REQUEST,
  properties: {
    ...JSON_BATCH_REQUEST.properties,
    // By their name: they are a hundred each.
    defaults: { ...ref('CaptureOptions'), description: 'Options of every row that does not say otherwise.' },
    items: {
      type: 'array',
      minItems: 1,
      maxItems: MAX_ROWS,
      items: ref('BatchItem'),
      description: 'The rows: the options of each capture.',
    },
  },
  description: 'Exactly one of `items` and `retry_failed_of` is required.',
};

const ROW_ERRORS = {
  type: 'array',
  items: ref('FieldError'),
  description: `Of the rows that are not valid; the first ${MAX_FAULTS}.`,
};

const BATCH_VERDICT = every({
  dry_run: { type: 'boolean', enum: [true] },
  would_accept: { ...boolean, description: 'Whether the same request would be accepted now.' },
  total: { ...integer, description: 'Rows in all.' },
  valid: integer,
  rejected: { ...integer, description: 'Rows that are not valid.' },
  allowance: every({
    needed: { ...integer, description: 'Captures that the batch would be charged for, if all succeed.' },
    available: integer,
  }),
  errors: ROW_ERRORS,
});

const WEBHOOK_DELIVERY = {
  ...every({
    id: {
      type: ['string', 'null'],
      format: 'uuid',
      description: '`webhook-id` of the event; null before there is one.',
    },
    url: string,
    state: {
      ...string,
      enum: ['waiting', 'pending', 'delivered', 'failed', 'stopped'],
      description:
        '`waiting`: what it tells of has not happened yet. `pending`: it is being delivered. `failed`: all tries are used up. `stopped`: the endpoint answered 410.',
    },
    attempts: integer,
    last_status: {
      type: ['integer', 'null'],
      description: 'What the endpoint answered last; null when it did not.',
    },
    next_attempt_at: { type: ['string', 'null'], format: 'date-time' },
    log: {
      type: 'array',
      items: every({
        at: { ...string, format: 'date-time' },
        status: { type: ['integer', 'null'] },
        error: { type: ['string', 'null'] },
        duration_ms: integer,
      }),
    },
  }),
  description: 'Where the webhook of a job or a batch stands.',
};

const CAPTURE_OPTIONS = requestSchemaOf(CaptureOptions) as {
  properties: Record<string, { type: string; enum?: readonly unknown[] }>;
};

/** The options of a row, in which null lifts a default. */
const BATCH_ITEM = {
  ...CAPTURE_OPTIONS,
  properties: Object.fromEntries(
    Object.entries(CAPTURE_OPTIONS.properties).map(([name, schema]) => [
      name,
      { ...schema, type: [schema.type, 'null'], ...(schema.enum && { enum: [...schema.enum, null] }) },
    ]),
  ),
  description:
    'The options of a row. `null` lifts a default: the option has no value then, neither of the row nor of `defaults`.',
};

/** The schemas that are not the class of a response. */
export function components(): Record<string, object> {
  return {
    BatchItem: BATCH_ITEM,
    CaptureOptions: {
      ...CAPTURE_OPTIONS,
      description: 'Exactly one of `url` and `html` is required.',
    },
    JobRequest: {
      ...JOB_REQUEST,
      description:
        'The options of a capture, of which exactly one of `url` and `html` is required, and `webhook_url`.',
    },
    JsonBatchRequest: JSON_BATCH,
    AcceptedBatch: {
      allOf: [ref('BatchRecord'), every({ errors: ROW_ERRORS })],
      description: 'A batch as it was accepted, with the faults of its rows that are not valid.',
    },
    BatchVerdict: BATCH_VERDICT,
    Problem: {
      type: 'object',
      description: 'A problem document (RFC 9457).',
      required: [...FAILURE_REQUIRED, 'status', 'request_id'],
      properties: { ...FAILURE, status: integer, request_id: { ...string, example: ID.example } },
    },
    CaptureFailure: {
      type: 'object',
      description: 'What became of a failed capture: its problem without `status` and `request_id`.',
      required: FAILURE_REQUIRED,
      properties: FAILURE,
    },
    FieldError: FIELD_ERROR,
    Timings: every(
      Object.fromEntries([...PHASES, 'total'].map((phase) => [`${phase}_ms`, { ...integer, example: 12 }])),
    ),
    Percentiles: every({ p50: integer, p95: integer, p99: integer }),
    WebhookDelivery: WEBHOOK_DELIVERY,
    ...serviceComponents(),
  };
}

function serviceComponents(): Record<string, object> {
  return {
    Usage: every({
      total: { ...integer, example: 10_000 },
      used: { ...integer, example: 128 },
      available: { ...integer, description: '`total − used`, always.', example: 9_872 },
      concurrency: every({
        limit: { ...integer, example: 10 },
        remaining: { ...integer, example: 9 },
        reset_unix: { ...integer, description: 'When all slots held now are free at the latest.' },
      }),
    }),
    Device: every({
      id: { ...string, example: 'iphone-15-pro' },
      name: { ...string, example: 'iPhone 15 Pro' },
      category: { ...string, enum: DEVICE_CATEGORIES },
      viewport_width: integer,
      viewport_height: integer,
      device_scale_factor: { type: 'number' },
      mobile: boolean,
      touch: boolean,
      landscape: boolean,
      user_agent: { type: ['string', 'null'], description: "Null: the browser's own." },
    }),
    DeviceList: every({ items: { type: 'array', items: ref('Device') } }),
  };
}
