import { Body, Controller, HttpCode, Post, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { givenOptions, type CaptureOptions } from '@app/capture';
import type { Caller } from '@app/auth';
import type { Response } from 'express';
import { Sender } from '../http/auth/caller.js';
import { NeedsScope } from '../http/auth/scope.js';
import { admitTargets } from '../http/auth/target-limits.js';
import { JsonBody } from '../http/body/body.interceptor.js';
import { IdempotencyKey, toIdempotency } from '../http/idempotency.js';
import { CaptureOptionsPipe } from './capture-options.pipe.js';
import { preferredWaitS } from './prefer.js';
import { SyncAnswerService } from './sync-answer.service.js';
import { DocumentsCapture } from './sync-capture.docs.js';

@ApiTags('Captures')
@Controller('v1/capture')
export class SyncCaptureController {
  constructor(private readonly answers: SyncAnswerService) {}

  @Post()
  @NeedsScope('capture')
  @HttpCode(200)
  @JsonBody()
  @DocumentsCapture()
  async capture(
    @Sender() sender: Caller,
    @IdempotencyKey() key: string | undefined,
    @Body(CaptureOptionsPipe) options: CaptureOptions,
    @Res() response: Response,
  ): Promise<void> {
    admitTargets(sender, options);
    const request = {
      accountId: sender.accountId,
      options,
      requestId: response.get('X-Request-Id'),
      idempotency: toIdempotency(key, 'POST /v1/capture', givenOptions(options)),
    };
    await this.answers.answer({ request, waitS: preferredWaitS(response.req) }, response);
  }
}
