import { Body, Controller, HttpCode, Post, Query, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import {
  MAX_BYTES,
  MAX_ROWS,
  tooManyRows,
  type BatchOutcome,
  type DryRunReport,
  type RawOptions,
} from '@app/bulk';
import type { Caller } from '@app/auth';
import type { Request, Response } from 'express';
import { Sender } from '../http/auth/caller.js';
import { NeedsScope } from '../http/auth/scope.js';
import { JsonBody, StreamedBody } from '../http/body/body.interceptor.js';
import { listLimits, type JsonWithList } from '../http/body/json-body.js';
import { IdempotencyKey, markReplay } from '../http/idempotency.js';
import { queryOf } from '../http/parse.pipe.js';
import { DocumentsCsvBatch, DocumentsJsonBatch } from './batch-submission.docs.js';
import { BatchSubmissionsService, type RequestOrigin } from './batch-submissions.service.js';
import type { AcceptedBatch } from './batch.response.js';
import { csvBodyOf } from './csv-body.js';
import { DryRunQuery } from './submission.fields.js';

const LIMITS = listLimits(MAX_BYTES, { name: 'items', maxItems: MAX_ROWS, tooMany: tooManyRows });

/** Accepts batches. */
@ApiTags('Bulk')
@Controller('v1/bulk')
export class BatchSubmissionController {
  constructor(private readonly submissions: BatchSubmissionsService) {}

  @Post('json')
  @NeedsScope('capture')
  @HttpCode(202)
  @JsonBody(LIMITS)
  @DocumentsJsonBatch()
  async submitJson(
    @Sender() sender: Caller,
    @IdempotencyKey() key: string | undefined,
    @Query(queryOf(DryRunQuery)) query: DryRunQuery,
    @Body() body: JsonWithList,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AcceptedBatch | DryRunReport> {
    const origin = originOf({ sender, key }, request, response);
    return answerOf(await this.submissions.submitJson(origin, body, query), response);
  }

  @Post('csv')
  @NeedsScope('capture')
  @HttpCode(202)
  @StreamedBody()
  @DocumentsCsvBatch()
  async submitCsv(
    @Sender() sender: Caller,
    @IdempotencyKey() key: string | undefined,
    @Query() query: RawOptions,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AcceptedBatch | DryRunReport> {
    const origin = originOf({ sender, key }, request, response);
    return answerOf(await this.submissions.submitCsv(origin, query, csvBodyOf(request)), response);
  }
}

function originOf(
  from: Pick<RequestOrigin, 'sender' | 'key'>,
  request: Request,
  response: Response,
): RequestOrigin {
  const weighRows = (rows: number): void => void request.weighRows?.(rows);
  return { ...from, requestId: response.get('X-Request-Id'), weighRows };
}

/** The body of the response; the status of a dry run is 200, because nothing was accepted. */
function answerOf(outcome: BatchOutcome, response: Response): AcceptedBatch | DryRunReport {
  if (outcome.kind === 'dry_run') {
    response.status(200);
    return outcome.report;
  }
  const { record, faults, replayed } = outcome;
  markReplay(response, replayed);
  response.location(`/v1/bulk/${record.id}`);
  return { ...record, errors: faults };
}
