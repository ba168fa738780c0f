import { Controller, Get, Param, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { JobsService } from '@app/jobs';
import type { Response } from 'express';
import { AccountId } from '../http/auth/caller.js';
import { NeedsScope } from '../http/auth/scope.js';
import { CaptureArchiveService } from './capture-archive.service.js';
import { CaptureFileService } from './capture-file.service.js';
import {
  DocumentsArchive,
  DocumentsFile,
  DocumentsResult,
  DocumentsThumbnail,
} from './capture-files.docs.js';
import { CaptureThumbnailService } from './capture-thumbnail.service.js';

/** The files of captures: the first, one by its name, all of them, or a small picture of them. */
@ApiTags('Captures')
@Controller('v1/captures')
export class CaptureFilesController {
  constructor(
    private readonly jobs: JobsService,
    private readonly files: CaptureFileService,
    private readonly archives: CaptureArchiveService,
    private readonly thumbnails: CaptureThumbnailService,
  ) {}

  @Get(':id/result')
  @NeedsScope('read')
  @DocumentsResult('captures')
  async result(
    @AccountId() accountId: string,
    @Param('id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    await this.files.send(await this.jobs.find(accountId, id), response);
  }

  @Get(':id/thumbnail')
  @NeedsScope('read')
  @DocumentsThumbnail()
  async thumbnail(
    @AccountId() accountId: string,
    @Param('id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    await this.thumbnails.send(await this.jobs.find(accountId, id), response);
  }

  @Get(':id/files.zip')
  @NeedsScope('read')
  @DocumentsArchive()
  async archive(
    @AccountId() accountId: string,
    @Param('id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    await this.archives.send(await this.jobs.find(accountId, id), response);
  }

  @Get(':id/files/:name')
  @NeedsScope('read')
  @DocumentsFile()
  async file(
    @AccountId() accountId: string,
    @Param() { id, name }: { id: string; name: string },
    @Res() response: Response,
  ): Promise<void> {
    await this.files.send(await this.jobs.find(accountId, id), response, { name });
  }
}
