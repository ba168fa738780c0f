import { Body, Controller, HttpCode, Post, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CaptureOptions, givenOptions, parseOptions } from '@app/capture';
import type { Response } from 'express';
import { DocumentsCapture } from '../docs/capture.docs.js';
import { AccountId } from '../http/caller.js';
import { hangUpOf } from '../http/hang-up.js';
import { IdempotencyKey } from '../http/idempotency-key.js';
import { markReplay, toIdempotency } from '../http/idempotency.js';
import { JsonBody } from '../http/json-body.interceptor.js';
import { Parsed } from '../http/parsed.js';
import { preferredWaitS } from '../http/prefer.js';
import { CaptureAnswerService } from './capture-answer.service.js';
import { SyncCapturesService } from './sync-captures.service.js';

@ApiTags('Captures')
@Controller('v1/capture')
export class CaptureController {
  constructor(
    private readonly captures: SyncCapturesService,
    private readonly answer: CaptureAnswerService,
  ) {}

  @Post()
  @HttpCode(200)
  @JsonBody()
  @DocumentsCapture()
  async capture(
    @AccountId() accountId: string,
    @IdempotencyKey() key: string | undefined,
    @Body(new Parsed(parseOptions)) options: CaptureOptions,
    @Res() response: Response,
  ): Promise<void> {
    const waitS = preferredWaitS(response.req);
    const submission = {
      accountId,
      options,
      requestId: response.get('X-Request-Id'),
      idempotency: toIdempotency(key, 'POST /v1/capture', givenOptions(options)),
    };
    const waitMs = waitS === undefined ? undefined : waitS * 1_000;
    const { job, replayed } = await this.captures.run(submission, { waitMs, hangUp: hangUpOf(response) });
    if (response.destroyed) return;
    markReplay(response, replayed);
    await this.answer.send(job, { response: options.response, waitS }, response);
  }
}
