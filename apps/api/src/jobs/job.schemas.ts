import { CaptureOptions, NO_FACTS, openFields, type ChangeReport } from '@app/capture';
import { compose, ERRORS, type AnyClass } from '@app/kernel';
import { CAPTURE_EXAMPLES } from '../captures/capture.schemas.js';
import { requestSchemaOf } from '../openapi/request-schemas.js';
import { ref } from '../openapi/schemas.js';
import type { EventKinds } from '../openapi/webhooks.docs.js';
import { WebhookField } from '../webhooks/webhook-target.service.js';
import type { JobRecord } from './job.response.js';

/** The body of `POST /v1/jobs`. */
export const JOB_REQUEST = {
  ...requestSchemaOf(compose('JobRequest', [CaptureOptions as AnyClass, WebhookField as AnyClass])),
  description: 'The options of a capture, and `webhook_url`. Exactly one of `url` and `html` is required.',
};

const UNFINISHED: JobRecord = {
  ...CAPTURE_EXAMPLES.CaptureRecord,
  ...openFields(),
  status: 'running',
  bytes: null,
  sha256: null,
  files: [],
  billable: false,
  timings: null,
  finished_at: null,
  expires_at: null,
  result_url: null,
  queue_position: null,
  phase: 'navigate',
  webhook: null,
};

const ACCEPTED: JobRecord = {
  ...UNFINISHED,
  source: 'job',
  status: 'queued',
  attempts: 0,
  started_at: null,
  queue_position: 1,
  phase: null,
  webhook: {
    id: null,
    url: 'https://example.com/webhooks/capture',
    state: 'waiting',
    attempts: 0,
    last_status: null,
    next_attempt_at: null,
    log: [],
  },
};

const CANCELED: JobRecord = {
  ...ACCEPTED,
  status: 'canceled',
  cancel_reason: 'client_request',
  finished_at: '2026-11-21T10:15:31.002Z',
  queue_position: null,
  webhook: null,
};

/** Examples of responses, by the name of their schema; the others are variants of `JobRecord`. */
export const JOB_EXAMPLES = {
  JobRecord: UNFINISHED,
  AcceptedJob: ACCEPTED,
  CanceledJob: CANCELED,
} as const;

const ENDED = { ...CAPTURE_EXAMPLES.CaptureRecord, source: 'job' };
const UNCHARGED = {
  ...ENDED,
  ...openFields(),
  bytes: null,
  sha256: null,
  files: [],
  billable: false,
  expires_at: null,
  result_url: null,
};

const CHANGE: ChangeReport = {
  compared_with: '019aa5c2-1f3b-7c70-9d5e-6a4b1c2d3e4f',
  failure: null,
  changed: true,
  ratio: 0.031,
  boxes: [{ x: 40, y: 120, width: 300, height: 24 }],
  size_changed: false,
  text_changed: true,
  noise: [],
  lines: [],
  summary: null,
};

/** The webhooks of jobs. */
export const JOB_EVENTS: EventKinds = {
  CaptureEvent: {
    data: ref('CaptureRecord'),
    types: {
      'capture.succeeded': ['A job has succeeded', ENDED],
      'capture.changed': [
        'A job has succeeded, and its page has changed since the capture that it was compared with (sent besides `capture.succeeded`)',
        { ...ENDED, change: CHANGE },
      ],
      'capture.failed': [
        'A job has failed',
        { ...UNCHARGED, ...openFields(NO_FACTS), status: 'failed', error: failure() },
      ],
      'capture.canceled': [
        'A job was canceled',
        { ...UNCHARGED, status: 'canceled', cancel_reason: 'client_request' },
      ],
    },
  },
};

function failure() {
  const { title, retryable } = ERRORS.target_dns_error;
  return {
    type: '/docs/errors#target_dns_error',
    title,
    detail: 'Could not resolve exmaple.com',
    code: 'target_dns_error',
    retryable,
  };
}
