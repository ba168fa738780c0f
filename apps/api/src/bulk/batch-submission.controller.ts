import { Body, Controller, HttpCode, Post, Query, Req, Res, UseInterceptors } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { MAX_BYTES, type DryRunReport, type RawOptions } from '@app/bulk';
import type { Request, Response } from 'express';
import { DocumentsCsvBatch, DocumentsJsonBatch } from '../docs/batch-submission.docs.js';
import { AccountId } from '../http/caller.js';
import { IdempotencyKey } from '../http/idempotency-key.js';
import { JsonBody } from '../http/json-body.interceptor.js';
import { queryOf } from '../http/parsed.js';
import { StreamedBodyInterceptor } from '../http/streamed-body.interceptor.js';
import { answerOf, type AcceptedRecord } from './batch-answer.js';
import { BatchSubmissionsService } from './batch-submissions.service.js';
import { csvBodyOf } from './csv-body.js';
import { DryRunQuery } from './submission.fields.js';

/** The ways in for batches. */
@ApiTags('Bulk')
@Controller('v1/bulk')
export class BatchSubmissionController {
  constructor(private readonly submissions: BatchSubmissionsService) {}

  @Post('json')
  @HttpCode(202)
  @JsonBody(MAX_BYTES)
  @DocumentsJsonBatch()
  async submitJson(
    @AccountId() accountId: string,
    @IdempotencyKey() key: string | undefined,
    @Query(queryOf(DryRunQuery)) query: DryRunQuery,
    @Body() body: unknown,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AcceptedRecord | DryRunReport> {
    const asking = { accountId, key, requestId: response.get('X-Request-Id') };
    return answerOf(await this.submissions.submitJson(asking, body, query), response);
  }

  @Post('csv')
  @HttpCode(202)
  @UseInterceptors(StreamedBodyInterceptor)
  @DocumentsCsvBatch()
  async submitCsv(
    @AccountId() accountId: string,
    @IdempotencyKey() key: string | undefined,
    @Query() query: RawOptions,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AcceptedRecord | DryRunReport> {
    const asking = { accountId, key, requestId: response.get('X-Request-Id') };
    return answerOf(await this.submissions.submitCsv(asking, query, csvBodyOf(request)), response);
  }
}
