import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Caller } from '@app/auth';
import {
  CrawlCancellationService,
  CrawlRecordsService,
  CrawlsService,
  type BrokenPageRecord,
  type CrawlPageRecord,
  type CrawlRecord,
  type RecordPage,
} from '@app/crawls';
import type { Response } from 'express';
import { AccountId, Sender } from '../http/auth/caller.js';
import { NeedsScope } from '../http/auth/scope.js';
import { JsonBody } from '../http/body/body.interceptor.js';
import { IdempotencyKey, markReplay, toIdempotency } from '../http/idempotency.js';
import { pageOf } from '../http/page.query.js';
import { queryOf } from '../http/parse.pipe.js';
import { CrawlDownloadsService } from './crawl-downloads.service.js';
import { CrawlRequestsService } from './crawl-requests.service.js';
import {
  DocumentsBroken,
  DocumentsCancel,
  DocumentsCrawl,
  DocumentsCrawls,
  DocumentsCreate,
  DocumentsDownload,
  DocumentsPages,
} from './crawls.docs.js';
import {
  BrokenPagesQuery,
  CrawlDownloadQuery,
  CrawlPagesQuery,
  CrawlsQuery,
  pageQueryOf,
} from './crawls.query.js';

/** Crawls: the pages of a site as one batch. */
@ApiTags('Crawls')
@Controller('v1/crawls')
export class CrawlsController {
  constructor(
    private readonly crawls: CrawlsService,
    private readonly cancellation: CrawlCancellationService,
    private readonly records: CrawlRecordsService,
    private readonly requests: CrawlRequestsService,
    private readonly downloads: CrawlDownloadsService,
  ) {}

  @Post()
  @NeedsScope('capture')
  @HttpCode(202)
  @JsonBody()
  @DocumentsCreate()
  async create(
    @Sender() sender: Caller,
    @IdempotencyKey() key: string | undefined,
    @Body() body: unknown,
    @Res({ passthrough: true }) response: Response,
  ): Promise<CrawlRecord> {
    const { accountId } = sender;
    const request = this.requests.read(body, sender);
    const idempotency = toIdempotency(key, 'POST /v1/crawls', body);
    const requestId = response.get('X-Request-Id');
    const { id, replayed } = await this.crawls.create({ ...request, accountId, requestId, idempotency });
    markReplay(response, replayed);
    response.location(`/v1/crawls/${id}`);
    return this.records.show(accountId, id);
  }

  @Get()
  @NeedsScope('read')
  @DocumentsCrawls()
  list(
    @AccountId() accountId: string,
    @Query(queryOf(CrawlsQuery)) query: CrawlsQuery,
  ): Promise<RecordPage<CrawlRecord>> {
    return this.records.list(accountId, { state: query.status }, pageOf(query));
  }

  @Get(':id')
  @NeedsScope('read')
  @DocumentsCrawl()
  find(@AccountId() accountId: string, @Param('id') id: string): Promise<CrawlRecord> {
    return this.records.show(accountId, id);
  }

  @Delete(':id')
  @NeedsScope('capture')
  @DocumentsCancel()
  async cancel(@AccountId() accountId: string, @Param('id') id: string): Promise<CrawlRecord> {
    await this.cancellation.cancel(accountId, id);
    return this.records.show(accountId, id);
  }

  @Get(':id/pages')
  @NeedsScope('read')
  @DocumentsPages()
  pages(
    @AccountId() accountId: string,
    @Param('id') id: string,
    @Query(queryOf(CrawlPagesQuery)) query: CrawlPagesQuery,
  ): Promise<RecordPage<CrawlPageRecord>> {
    return this.records.listPages(accountId, id, pageQueryOf(query));
  }

  @Get(':id/broken')
  @NeedsScope('read')
  @DocumentsBroken()
  broken(
    @AccountId() accountId: string,
    @Param('id') id: string,
    @Query(queryOf(BrokenPagesQuery)) query: BrokenPagesQuery,
  ): Promise<RecordPage<BrokenPageRecord>> {
    return this.records.listBroken(accountId, id, pageQueryOf(query));
  }

  @Get(':id/download')
  @NeedsScope('read')
  @DocumentsDownload()
  async download(
    @AccountId() accountId: string,
    @Param('id') id: string,
    @Query(queryOf(CrawlDownloadQuery)) { as }: CrawlDownloadQuery,
    @Res() response: Response,
  ): Promise<void> {
    await this.downloads.send(await this.records.find(accountId, id), as, response);
  }
}
