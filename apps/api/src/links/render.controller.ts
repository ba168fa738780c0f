import { Controller, Get, Options, Req, Res } from '@nestjs/common';
import { ApiExcludeEndpoint, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { CaptureFileService } from '../captures/capture-file.service.js';
import { clientAddress } from '../http/auth/client-address.js';
import { Public } from '../http/auth/caller.js';
import { disconnectOf } from '../http/client-disconnect.js';
import { ReadsRawQuery } from '../http/query.guard.js';
import { SyncCapturesService } from '../sync/sync-captures.service.js';
import { queryOf } from './link-signature.js';
import { LinkVerifierService } from './link-verifier.service.js';
import { DocumentsRender } from './render.docs.js';

/** `GET /v1/render`: signed links, which need no key in a header. */
@ApiTags('Links')
@Controller('v1/render')
@Public()
@ReadsRawQuery()
export class RenderController {
  constructor(
    private readonly links: LinkVerifierService,
    private readonly captures: SyncCapturesService,
    private readonly files: CaptureFileService,
  ) {}

  @Get()
  @DocumentsRender()
  async render(@Req() request: Request, @Res() response: Response): Promise<void> {
    const { caller, options } = await this.links.verify(queryOf(request.originalUrl), clientAddress(request));
    // For the log.
    request.caller = caller;
    const jobRequest = { accountId: caller.accountId, options, requestId: response.get('X-Request-Id') };
    const { job } = await this.captures.run(jobRequest, { disconnect: disconnectOf(response) });
    if (response.destroyed) return;
    response.set('X-Capture-Id', job.id);
    await this.files.send(job, response);
  }

  /** The preflight of a script on another site, for a request with headers such as `If-None-Match`. */
  @Options()
  @ApiExcludeEndpoint()
  preflight(@Res() response: Response): void {
    response
      .status(204)
      .set({
        'Access-Control-Allow-Methods': 'GET, HEAD',
        'Access-Control-Allow-Headers': '*',
        'Access-Control-Max-Age': '86400',
      })
      .end();
  }
}
