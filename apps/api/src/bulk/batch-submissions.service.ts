import { Injectable } from '@nestjs/common';
import {
  assertDefaultsFit,
  BatchAcceptanceService,
  BatchReaderService,
  FailedRowsService,
  type BatchOutcome,
  type BatchRequest,
  type RawOptions,
  type SenderFaults,
} from '@app/bulk';
import type { Caller } from '@app/auth';
import { RunningFingerprint } from '@app/jobs';
import type { Fault } from '@app/kernel';
import { holdToTargets } from '../http/auth/target-limits.js';
import type { JsonWithList } from '../http/body/json-body.js';
import { BatchMetrics } from '../metrics/batch.metrics.js';
import { WebhookTargetService, type WebhookField } from '../webhooks/webhook-target.service.js';
import { readCsvQuery, type CsvBatchQuery } from './csv-batch.query.js';
import { readJsonBatch, type JsonBatchRequest } from './json-batch.request.js';
import type { DryRunQuery } from './submission.fields.js';

/** The sender, the Idempotency-Key and the id of a request for a batch. */
export interface RequestOrigin {
  readonly sender: Pick<Caller, 'accountId' | 'allowedHosts'>;
  readonly key: string | undefined;
  readonly requestId: string | undefined;
  /** Called with how many rows were checked of a batch of which nothing is stored. */
  readonly weighRows: (rows: number) => void;
}

/** Reads a request for a batch. Its rows are a stream, which is read while they are stored. */
@Injectable()
export class BatchSubmissionsService {
  constructor(
    private readonly reader: BatchReaderService,
    private readonly failedRows: FailedRowsService,
    private readonly acceptance: BatchAcceptanceService,
    private readonly webhooks: WebhookTargetService,
    private readonly metrics: BatchMetrics,
  ) {}

  /**
   * @throws AppError as `BatchAcceptanceService.submit` does; `not_found` and `job_not_finished` for `retry_failed_of`
   */
  async submitJson(
    origin: RequestOrigin,
    body: JsonWithList,
    { dry_run: dryRun }: DryRunQuery,
  ): Promise<BatchOutcome> {
    const request = readJsonBatch(body, this.defaultFaults);
    const { defaults, retry_failed_of: retryOf } = request;
    assertDefaultsFit(defaults, body.itemCount);
    const fingerprint = startFingerprint(origin, 'POST /v1/bulk/json', request);
    const head = { ...this.headOf(origin, request, fingerprint), kind: 'json', dryRun, retryOf } as const;
    const rows =
      retryOf === undefined
        ? this.reader.items(request.items ?? [], {
            defaults,
            onRow: addingTo(fingerprint),
            senderFaults: faultsFor(origin),
          })
        : await this.failedRows.read(origin.sender.accountId, retryOf, {
            defaults,
            senderFaults: faultsFor(origin),
          });
    return this.submit(origin, { ...head, rows });
  }

  /** @throws AppError as `BatchAcceptanceService.submit` does; the errors of reading the body */
  submitCsv(origin: RequestOrigin, raw: RawOptions, body: AsyncIterable<Buffer>): Promise<BatchOutcome> {
    const query = readCsvQuery(raw, this.defaultFaults);
    const fingerprint = startFingerprint(origin, 'POST /v1/bulk/csv', query);
    const { defaults, dry_run: dryRun } = query;
    const rows = this.reader.csv(body, {
      defaults,
      onRow: addingTo(fingerprint),
      senderFaults: faultsFor(origin),
    });
    const submission = { ...this.headOf(origin, query, fingerprint), kind: 'csv', dryRun, rows } as const;
    return this.submit(origin, submission);
  }

  private async submit({ weighRows }: RequestOrigin, request: BatchRequest): Promise<BatchOutcome> {
    let checked = 0;
    const rows = counting(request.rows, () => checked++);
    let outcome: BatchOutcome | undefined;
    try {
      outcome = await this.metrics.accepting(() => this.acceptance.submit({ ...request, rows }));
      return outcome;
    } finally {
      if (outcome?.kind !== 'accepted') weighRows(checked);
    }
  }

  private readonly defaultFaults = (defaults: unknown, pointer: string): Fault[] =>
    this.reader.defaultFaults(defaults, pointer);

  private headOf(
    { sender, key, requestId }: RequestOrigin,
    request: Pick<CsvBatchQuery, 'on_invalid'> & WebhookField,
    fingerprint: RunningFingerprint | undefined,
  ): Omit<BatchRequest, 'kind' | 'dryRun' | 'rows'> {
    return {
      accountId: sender.accountId,
      requestId,
      onInvalid: request.on_invalid,
      webhookUrl: this.webhooks.accept(request),
      // Called after all rows are read, when they are part of the fingerprint.
      idempotency: () =>
        key === undefined || !fingerprint ? undefined : { key, fingerprint: fingerprint.digest() },
    };
  }
}

/** The fingerprint of everything but the rows, which are added as they are read; undefined without an Idempotency-Key. */
function startFingerprint(
  { key }: RequestOrigin,
  route: string,
  request: CsvBatchQuery | JsonBatchRequest,
): RunningFingerprint | undefined {
  if (key === undefined) return undefined;
  const { defaults, on_invalid, webhook_url } = request;
  const retryOf = 'retry_failed_of' in request ? request.retry_failed_of : undefined;
  return new RunningFingerprint(route, { defaults, on_invalid, webhook_url, retryOf });
}

/** Rows for other hosts than the key allows are bad rows; the others are held to them. Undefined for a key without limits. */
function faultsFor({ sender }: RequestOrigin): SenderFaults | undefined {
  return sender.allowedHosts === null ? undefined : (options) => holdToTargets(sender, options);
}

function addingTo(fingerprint: RunningFingerprint | undefined): ((written: unknown) => void) | undefined {
  return fingerprint && ((written) => fingerprint.add(written));
}

async function* counting(rows: BatchRequest['rows'], onRow: () => void): BatchRequest['rows'] {
  for await (const row of rows) {
    onRow();
    yield row;
  }
}
