import { MAX_FAULTS, MAX_ROWS, type DryRunReport } from '@app/bulk';
import { batchDownloadPath, batchResultsPath } from '@app/jobs';
import { CAPTURE_OPTIONS } from '../captures/capture.schemas.js';
import { ROW_FAULT } from '../openapi/problems.docs.js';
import { requestSchemaOf } from '../openapi/request-schemas.js';
import { boolean, every, ID, integer, ref, TIME } from '../openapi/schemas.js';
import type { EventKinds } from '../openapi/webhooks.docs.js';
import type { AcceptedBatch, BatchList, BatchRecord } from './batch.response.js';
import { JsonBatchRequest } from './json-batch.request.js';

const { description: _, ...OPTIONS } = CAPTURE_OPTIONS;

/** The options of a row, in which null removes a default. */
export const BATCH_ITEM = {
  ...OPTIONS,
  properties: Object.fromEntries(
    Object.entries(OPTIONS.properties).map(([name, schema]) => [
      name,
      { ...schema, type: [schema.type, 'null'], ...(schema.enum && { enum: [...schema.enum, null] }) },
    ]),
  ),
  description: 'The options of a row. `null` removes a default: the option is unset for the row.',
};

const REQUEST = requestSchemaOf(JsonBatchRequest) as { readonly properties: Record<string, object> };

export const JSON_BATCH_REQUEST = {
  ...REQUEST,
  properties: {
    ...REQUEST.properties,
    // By reference: each has a hundred properties.
    defaults: {
      ...ref('CaptureOptions'),
      description: 'Options of every row that does not set them itself.',
    },
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
  description: `The faults of invalid rows; the first ${MAX_FAULTS}.`,
};

export const ACCEPTED_BATCH = {
  allOf: [ref('BatchRecord'), every({ errors: ROW_ERRORS })],
  description: 'A batch as it was accepted, with the faults of its invalid rows.',
};

export const BATCH_VERDICT = every({
  dry_run: { type: 'boolean', enum: [true] },
  would_accept: { ...boolean, description: 'Whether the same request would be accepted now.' },
  total: { ...integer, description: 'Number of rows.' },
  valid: integer,
  rejected: { ...integer, description: 'Number of invalid rows.' },
  allowance: every({
    needed: { ...integer, description: 'Captures that are charged if all rows succeed.' },
    available: integer,
  } satisfies Record<keyof DryRunReport['allowance'], object>),
  errors: {
    ...ROW_ERRORS,
    description: `The faults of invalid rows in row order: the first ${MAX_FAULTS}, up to 20 of a row, and then the first one of each further row.`,
  },
  errors_omitted: { ...integer, description: 'Further faults of these rows, which `errors` leaves out.' },
} satisfies Record<keyof DryRunReport, object>);

const BATCH: BatchRecord = {
  id: ID.example,
  status: 'running',
  retry_of: null,
  total: 1_000,
  counts: { queued: 900, running: 4, succeeded: 90, failed: 6, canceled: 0 },
  rejected: 2,
  progress: 0.096,
  eta_s: 210,
  created_at: TIME.example,
  started_at: '2026-11-21T10:15:30.126Z',
  finished_at: null,
  results_url: batchResultsPath(ID.example),
  download_url: batchDownloadPath(ID.example),
  webhook: null,
};

const CANCELED: BatchRecord = {
  ...BATCH,
  status: 'canceled',
  counts: { queued: 0, running: 0, succeeded: 90, failed: 6, canceled: 904 },
  progress: 1,
  eta_s: 0,
  finished_at: '2026-11-21T10:15:52.310Z',
};

const ACCEPTED: AcceptedBatch = {
  ...BATCH,
  status: 'queued',
  total: 3,
  counts: { queued: 2, running: 0, succeeded: 0, failed: 1, canceled: 0 },
  rejected: 1,
  progress: 0.333,
  eta_s: null,
  started_at: null,
  errors: [ROW_FAULT],
};

const VERDICT: DryRunReport = {
  dry_run: true,
  would_accept: false,
  total: 3,
  valid: 2,
  rejected: 1,
  allowance: { needed: 2, available: 9_872 },
  errors: [ROW_FAULT],
  errors_omitted: 0,
};

/** Examples of responses, by the name of their schema; `CanceledBatch` is a variant of `BatchRecord`. */
export const BATCH_EXAMPLES = {
  BatchRecord: BATCH,
  BatchList: { items: [BATCH], next_cursor: null } satisfies BatchList,
  CanceledBatch: CANCELED,
  AcceptedBatch: ACCEPTED,
  BatchVerdict: VERDICT,
} as const;

const { webhook: _webhook, ...RUNNING } = BATCH;
const ENDED = { ...RUNNING, eta_s: 0, finished_at: TIME.example };

/** The webhooks of batches. */
export const BATCH_EVENTS: EventKinds = {
  BatchEvent: {
    data: ref('EndedBatchRecord'),
    types: {
      'batch.completed': ['Every row of a batch has ended', { ...ENDED, status: 'completed', progress: 1 }],
      'batch.canceled': ['A batch was canceled', { ...ENDED, status: 'canceled', progress: 1 }],
    },
  },
};
