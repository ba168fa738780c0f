import { Body, Controller, HttpCode, Post, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Env } from '@app/config';
import type { Request } from 'express';
import { NeedsScope } from '../http/auth/scope.js';
import { JsonBody } from '../http/body/body.interceptor.js';
import { smallLimits } from '../http/body/json-body.js';
import { callerOf } from '../http/auth/caller.js';
import { baseUrlOf } from '../http/base-url.js';
import { IdempotencyKey } from '../http/idempotency.js';
import { LinkSignerService } from './link-signer.service.js';
import type { SignedLink } from './link.response.js';
import { DocumentsLink } from './links.docs.js';

/** A link has at most 8,192 bytes, which are 6 times as many when JSON escapes each; longer ones are still told so. */
const MAX_BYTES = 131_072;

/** `POST /v1/links`: makes signed links. */
@ApiTags('Links')
@Controller('v1/links')
export class LinksController {
  constructor(
    private readonly links: LinkSignerService,
    private readonly env: Env,
  ) {}

  /** The Idempotency-Key is only checked: a link costs nothing and is not stored, so that a repetition makes one as good. */
  @Post()
  @NeedsScope('links')
  @HttpCode(200)
  @JsonBody(smallLimits(MAX_BYTES))
  @DocumentsLink()
  sign(
    @IdempotencyKey() _key: string | undefined,
    @Body() body: unknown,
    @Req() request: Request,
  ): Promise<SignedLink> {
    return this.links.sign(callerOf(request), body, baseUrlOf(request, this.env));
  }
}
