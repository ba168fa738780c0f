import { Injectable } from '@nestjs/common';
import {
  BatchAcceptanceService,
  BatchReaderService,
  FailedRowsService,
  type BatchOutcome,
  type BatchRequest,
  type RawOptions,
} from '@app/bulk';
import { RunningFingerprint } from '@app/jobs';
import type { Fault } from '@app/kernel';
import { WebhookTargetService, type WebhookField } from '../jobs/webhook-target.service.js';
import { BatchMetrics } from '../metrics/batch.metrics.js';
import { readCsvQuery, type CsvBatchQuery } from './csv-batch.query.js';
import { readJsonBatch, type JsonBatchRequest } from './json-batch.request.js';
import type { DryRunQuery } from './submission.fields.js';

/** Who asks for a batch, and under which Idempotency-Key. */
export interface ReceivedBatch {
  readonly accountId: string;
  readonly key: string | undefined;
  readonly requestId: string | undefined;
}

/** Reads what is asked for, up to its rows, which are read while they are set aside to be stored. */
@Injectable()
export class BatchSubmissionsService {
  constructor(
    private readonly reader: BatchReaderService,
    private readonly failedRows: FailedRowsService,
    private readonly acceptance: BatchAcceptanceService,
    private readonly webhooks: WebhookTargetService,
    private readonly metrics: BatchMetrics,
  ) {}

  /** @throws AppError as `BatchAcceptance.submit`, and `not_found`, `job_not_finished` of a batch to retry */
  async submitJson(
    asking: ReceivedBatch,
    raw: unknown,
    { dry_run: dryRun }: DryRunQuery,
  ): Promise<BatchOutcome> {
    const request = readJsonBatch(raw, this.defaultFaults);
    const { defaults, retry_failed_of: retryOf } = request;
    const fingerprint = this.fingerprintOf(asking, 'POST /v1/bulk/json', request);
    const begun = { ...this.begin(asking, request, fingerprint), kind: 'json', dryRun, retryOf } as const;
    const rows =
      retryOf === undefined
        ? this.reader.items(request.items ?? [], { defaults, onRow: noteOf(fingerprint) })
        : await this.failedRows.read(asking.accountId, retryOf, defaults);
    return this.metrics.accepting(() => this.acceptance.submit({ ...begun, rows }));
  }

  /** @throws AppError as `BatchAcceptance.submit`; and what reading the body throws */
  submitCsv(asking: ReceivedBatch, raw: RawOptions, body: AsyncIterable<Buffer>): Promise<BatchOutcome> {
    const query = readCsvQuery(raw, this.defaultFaults);
    const fingerprint = this.fingerprintOf(asking, 'POST /v1/bulk/csv', query);
    const { defaults, dry_run: dryRun } = query;
    const rows = this.reader.csv(body, { defaults, onRow: noteOf(fingerprint) });
    const submission = { ...this.begin(asking, query, fingerprint), kind: 'csv', dryRun, rows } as const;
    return this.metrics.accepting(() => this.acceptance.submit(submission));
  }

  private readonly defaultFaults = (defaults: unknown, pointer: string): Fault[] =>
    this.reader.defaultFaults(defaults, pointer);

  private begin(
    { accountId, key, requestId }: ReceivedBatch,
    asked: Pick<CsvBatchQuery, 'on_invalid'> & WebhookField,
    fingerprint: RunningFingerprint | undefined,
  ): Omit<BatchRequest, 'kind' | 'dryRun' | 'rows'> {
    return {
      accountId,
      requestId,
      onInvalid: asked.on_invalid,
      webhookUrl: this.webhooks.admit(asked),
      idempotency: () =>
        key === undefined || !fingerprint ? undefined : { key, fingerprint: fingerprint.digest() },
    };
  }

  /** Of what is not in the rows; without a key nobody asks for it. */
  private fingerprintOf(
    { key }: ReceivedBatch,
    route: string,
    asked: CsvBatchQuery | JsonBatchRequest,
  ): RunningFingerprint | undefined {
    if (key === undefined) return undefined;
    const { defaults, on_invalid, webhook_url } = asked;
    const retryOf = 'retry_failed_of' in asked ? asked.retry_failed_of : undefined;
    return new RunningFingerprint(route, { defaults, on_invalid, webhook_url, retryOf });
  }
}

function noteOf(fingerprint: RunningFingerprint | undefined): ((written: unknown) => void) | undefined {
  return fingerprint && ((written) => fingerprint.add(written));
}
