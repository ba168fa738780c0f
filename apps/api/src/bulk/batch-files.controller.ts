import { Controller, Get, Param, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { BatchesService } from '@app/bulk';
import type { Response } from 'express';
import { AccountId } from '../http/auth/caller.js';
import { NeedsScope } from '../http/auth/scope.js';
import { BatchArchiveService } from './batch-archive.service.js';
import { BatchDownloadService } from './batch-download.service.js';
import { DocumentsBatchArchive, DocumentsBatchDownload } from './batch-files.docs.js';

/** What batches leave behind: their results as a CSV, and all their files. */
@ApiTags('Bulk')
@Controller('v1/bulk')
export class BatchFilesController {
  constructor(
    private readonly batches: BatchesService,
    private readonly downloads: BatchDownloadService,
    private readonly archives: BatchArchiveService,
  ) {}

  @Get(':id/download')
  @NeedsScope('read')
  @DocumentsBatchDownload()
  async download(
    @AccountId() accountId: string,
    @Param('id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    await this.downloads.send(await this.batches.find(accountId, id), response);
  }

  @Get(':id/files.zip')
  @NeedsScope('read')
  @DocumentsBatchArchive()
  async archive(
    @AccountId() accountId: string,
    @Param('id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    await this.archives.send(await this.batches.find(accountId, id), response);
  }
}
