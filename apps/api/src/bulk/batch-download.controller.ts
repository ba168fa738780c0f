import { Controller, Get, Param, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { BatchRepository } from '@app/bulk';
import { AppError, isId } from '@app/kernel';
import type { Response } from 'express';
import { DocumentsDownload } from '../docs/batch-download.docs.js';
import { AccountId } from '../http/caller.js';
import { ResultsSender } from './results-sender.service.js';

/** What became of every row, as a file. */
@ApiTags('Bulk')
@Controller('v1/bulk')
export class BatchDownloadController {
  constructor(
    private readonly batches: BatchRepository,
    private readonly results: ResultsSender,
  ) {}

  @Get(':id/download')
  @DocumentsDownload()
  async download(
    @AccountId() accountId: string,
    @Param('id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    const batch = isId(id) ? await this.batches.findOfAccount(accountId, id) : null;
    if (!batch) throw new AppError('not_found', { detail: 'There is no batch with this id.' });
    await this.results.send(batch, response);
  }
}
