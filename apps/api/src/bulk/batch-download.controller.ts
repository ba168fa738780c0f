import { Controller, Get, Param, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { BatchesService } from '@app/bulk';
import type { Response } from 'express';
import { DocumentsDownload } from '../docs/batch-download.docs.js';
import { AccountId } from '../http/caller.js';
import { ResultsSenderService } from './results-sender.service.js';

/** What became of every row, as a file. */
@ApiTags('Bulk')
@Controller('v1/bulk')
export class BatchDownloadController {
  constructor(
    private readonly batches: BatchesService,
    private readonly results: ResultsSenderService,
  ) {}

  @Get(':id/download')
  @DocumentsDownload()
  async download(
    @AccountId() accountId: string,
    @Param('id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    await this.results.send(await this.batches.find(accountId, id), response);
  }
}
