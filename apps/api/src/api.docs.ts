import { factComponents } from '@app/capture';
import { readBuildInfo } from '@app/process';
import { ADMIN_MODELS, ADMIN_REQUESTS } from './admin/admin.docs.js';
import {
  CACHE_REPORT,
  CAPTURE_EXAMPLES,
  DESCRIBED_OPTIONS,
  FILE_RECORD,
  PERCENTILES,
  TIMINGS,
} from './captures/capture.schemas.js';
import { BatchRecord, EndedBatchRecord } from './bulk/batch.response.js';
import {
  ACCEPTED_BATCH,
  BATCH_EVENTS,
  BATCH_EXAMPLES,
  BATCH_ITEM,
  BATCH_VERDICT,
  JSON_BATCH_REQUEST,
} from './bulk/batch.schemas.js';
import { CaptureRecord } from './captures/capture.response.js';
import { DEVICE, DEVICE_LIST } from './devices/devices.docs.js';
import { HEALTH_EXAMPLES } from './health/health.docs.js';
import { JobRecord } from './jobs/job.response.js';
import { JOB_EVENTS, JOB_EXAMPLES, JOB_REQUEST } from './jobs/job.schemas.js';
import { LINK_REQUEST } from './links/links.docs.js';
import { CRAWL_EXAMPLES, CRAWL_SCHEMAS } from './crawls/crawl.schemas.js';
import { MONITOR_EVENTS, MONITOR_EXAMPLES, MONITOR_SCHEMAS } from './monitors/monitor.schemas.js';
import type { DocumentParts } from './openapi/document.js';
import { PROBLEM_SCHEMAS } from './openapi/problems.docs.js';
import { SESSION_CHECK, SESSION_REQUEST } from './sessions/sessions.docs.js';
import { USAGE, USAGE_EVENTS, USAGE_EXAMPLES } from './usage/usage.docs.js';
import {
  DELIVERY_ATTEMPT,
  TEST_EVENTS,
  WEBHOOK_DELIVERY,
  WEBHOOK_TEST_REQUEST,
} from './webhooks/webhooks.docs.js';

/** The OpenAPI document, apart from its routes: what ApiModule is to providers, this is to schemas. */
export const API_DOCS: DocumentParts = {
  version: readBuildInfo(import.meta.dirname).version,
  models: [...ADMIN_MODELS, BatchRecord, CaptureRecord, EndedBatchRecord, JobRecord],
  schemas: {
    BatchItem: BATCH_ITEM,
    CaptureOptions: DESCRIBED_OPTIONS,
    JobRequest: JOB_REQUEST,
    LinkRequest: LINK_REQUEST,
    JsonBatchRequest: JSON_BATCH_REQUEST,
    AcceptedBatch: ACCEPTED_BATCH,
    BatchVerdict: BATCH_VERDICT,
    SessionRequest: SESSION_REQUEST,
    SessionCheck: SESSION_CHECK,
    ...PROBLEM_SCHEMAS,
    Timings: TIMINGS,
    ...factComponents(),
    FileRecord: FILE_RECORD,
    CacheReport: CACHE_REPORT,
    Percentiles: PERCENTILES,
    ...CRAWL_SCHEMAS,
    ...MONITOR_SCHEMAS,
    WebhookDelivery: WEBHOOK_DELIVERY,
    DeliveryAttempt: DELIVERY_ATTEMPT,
    WebhookTestRequest: WEBHOOK_TEST_REQUEST,
    ...ADMIN_REQUESTS,
    Usage: USAGE,
    Device: DEVICE,
    DeviceList: DEVICE_LIST,
  },
  examples: {
    ...CAPTURE_EXAMPLES,
    ...JOB_EXAMPLES,
    ...BATCH_EXAMPLES,
    ...CRAWL_EXAMPLES,
    ...MONITOR_EXAMPLES,
    ...HEALTH_EXAMPLES,
    ...USAGE_EXAMPLES,
  },
  events: { ...JOB_EVENTS, ...BATCH_EVENTS, ...MONITOR_EVENTS, ...USAGE_EVENTS, ...TEST_EVENTS },
};
