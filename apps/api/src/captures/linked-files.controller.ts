import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { FileLinksService, JobsService } from '@app/jobs';
import type { Request, Response } from 'express';
import { Public } from '../http/auth/caller.js';
import { ReadsRawQuery } from '../http/query.guard.js';
import { CaptureFileService } from './capture-file.service.js';
import { CaptureThumbnailService } from './capture-thumbnail.service.js';
import { DocumentsLinkedFile, DocumentsLinkedFirstFile } from './linked-files.docs.js';

/** Files of captures by signed links, which messages about monitors hold. The link is the credential. */
@ApiTags('Links')
@Controller('v1/files')
@Public()
@ReadsRawQuery()
export class LinkedFilesController {
  constructor(
    private readonly links: FileLinksService,
    private readonly jobs: JobsService,
    private readonly files: CaptureFileService,
    private readonly thumbnails: CaptureThumbnailService,
  ) {}

  @Get(':id')
  @DocumentsLinkedFirstFile()
  first(@Param('id') _id: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    return this.answer(request, response);
  }

  @Get(':id/:name')
  @DocumentsLinkedFile()
  named(
    @Param() _path: { id: string; name: string },
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.answer(request, response);
  }

  private async answer({ originalUrl }: Request, response: Response): Promise<void> {
    const { captureId, name, smallAt } = this.links.verify(originalUrl);
    const job = await this.jobs.findLinked(captureId);
    if (smallAt === undefined) await this.files.send(job, response, name === null ? {} : { name });
    else await this.thumbnails.sendPart(job, { name, around: smallAt }, response);
  }
}
