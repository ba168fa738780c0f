import { Controller, Get, Options, Req, Res } from '@nestjs/common';
import { ApiExcludeEndpoint, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Public } from '../http/auth/caller.js';
import { ReadsRawQuery } from '../http/query.guard.js';
import { LinkedCapturesService } from './linked-captures.service.js';
import { DocumentsRender } from './render.docs.js';

/** What a browser asks before a script of another site sends headers such as `If-None-Match`. */
const PREFLIGHT = {
  'Access-Control-Allow-Methods': 'GET, HEAD',
  'Access-Control-Allow-Headers': '*',
  'Access-Control-Max-Age': '86400',
} as const;

/** `GET /v1/render`: signed links, which need no key in a header. */
@ApiTags('Links')
@Controller('v1/render')
@Public()
@ReadsRawQuery()
export class RenderController {
  constructor(private readonly captures: LinkedCapturesService) {}

  @Get()
  @DocumentsRender()
  render(@Req() request: Request, @Res() response: Response): Promise<void> {
    return this.captures.answer(request, response);
  }

  @Options()
  @ApiExcludeEndpoint()
  preflight(@Res() response: Response): void {
    response.status(204).set(PREFLIGHT).end();
  }
}
