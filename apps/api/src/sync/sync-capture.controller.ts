import { Body, Controller, HttpCode, Post, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { givenOptions, type CaptureOptions } from '@app/capture';
import type { Response } from 'express';
import { AccountId } from '../http/auth/caller.js';
import { JsonBody } from '../http/body/body.interceptor.js';
import { disconnectOf } from '../http/client-disconnect.js';
import { IdempotencyKey, markReplay, toIdempotency } from '../http/idempotency.js';
import { CaptureOptionsPipe } from './capture-options.pipe.js';
import { preferredWaitS } from './prefer.js';
import { SyncAnswerService } from './sync-answer.service.js';
import { DocumentsCapture } from './sync-capture.docs.js';
import { SyncCapturesService } from './sync-captures.service.js';

@ApiTags('Captures')
@Controller('v1/capture')
export class SyncCaptureController {
  constructor(
    private readonly captures: SyncCapturesService,
    private readonly answer: SyncAnswerService,
  ) {}

  @Post()
  @HttpCode(200)
  @JsonBody()
  @DocumentsCapture()
  async capture(
    @AccountId() accountId: string,
    @IdempotencyKey() key: string | undefined,
    @Body(CaptureOptionsPipe) options: CaptureOptions,
    @Res() response: Response,
  ): Promise<void> {
    const waitS = preferredWaitS(response.req);
    const jobRequest = {
      accountId,
      options,
      requestId: response.get('X-Request-Id'),
      idempotency: toIdempotency(key, 'POST /v1/capture', givenOptions(options)),
    };
    const waitMs = waitS === undefined ? undefined : waitS * 1_000;
    const { job, replayed } = await this.captures.run(jobRequest, {
      waitMs,
      disconnect: disconnectOf(response),
    });
    if (response.destroyed) return;
    markReplay(response, replayed);
    await this.answer.send(job, { response: options.response, waitS }, response);
  }
}
