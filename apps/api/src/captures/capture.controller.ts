import { Body, Controller, HttpCode, Post, Res, UseInterceptors } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CaptureOptions, parseOptions } from '@app/capture';
import type { Response } from 'express';
import { DocumentsCapture } from '../docs/capture.docs.js';
import { AccountId } from '../http/caller.js';
import { hangUpOf } from '../http/hang-up.js';
import { JsonBodyInterceptor } from '../http/json-body.interceptor.js';
import { Parsed } from '../http/parsed.js';
import { preferredWaitS } from '../http/prefer.js';
import { CaptureAnswer } from './capture-answer.service.js';
import { SyncCaptures } from './sync-captures.service.js';

@ApiTags('Captures')
@Controller('v1/capture')
export class CaptureController {
  constructor(
    private readonly captures: SyncCaptures,
    private readonly answer: CaptureAnswer,
  ) {}

  @Post()
  @HttpCode(200)
  @UseInterceptors(JsonBodyInterceptor)
  @DocumentsCapture()
  async capture(
    @AccountId() accountId: string,
    @Body(new Parsed(parseOptions)) options: CaptureOptions,
    @Res() response: Response,
  ): Promise<void> {
    const waitS = preferredWaitS(response.req);
    const waitMs = waitS === undefined ? undefined : waitS * 1_000;
    const job = await this.captures.run(accountId, options, { waitMs, hangUp: hangUpOf(response) });
    if (!response.destroyed) await this.answer.send(job, { response: options.response, waitS }, response);
  }
}
