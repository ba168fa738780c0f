import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiResponse } from '@nestjs/swagger';
import { ARCHIVE_CONTENT, disposition } from '../captures/capture-files.docs.js';
import { ApiId, ApiIdempotencyKey, ApiQueryOf } from '../openapi/parameters.docs.js';
import { ApiProblems } from '../openapi/problems.docs.js';
import { ref } from '../openapi/schemas.js';
import { CRAWL_EXAMPLES } from './crawl.schemas.js';
import { BrokenPagesQuery, CrawlDownloadQuery, CrawlPagesQuery, CrawlsQuery } from './crawls.query.js';

const CRAWL = {
  content: { 'application/json': { schema: ref('CrawlRecord'), example: CRAWL_EXAMPLES.CrawlRecord } },
};

const CREATE = `Finds the pages of a site and captures them as one batch: \`batch_id\` has the progress, the results and the webhook
of every batch.

* Addresses come from the sitemaps of the site, and from the links of its captures; no page is loaded twice.
* robots.txt and \`nofollow\` are obeyed, the delay of robots.txt as well. A site that answers 429 is visited less often.
* The allowance is reserved as pages are captured. When it is at its end, so is the search, and \`error\` says so.
* Two addresses that servers treat alike are one page: fragments, tracking parameters and the order of parameters do not count.`;

export const DocumentsCreate = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({ summary: 'Crawl a site', description: CREATE, operationId: 'createCrawl' }),
    ApiIdempotencyKey(),
    ApiBody({
      schema: ref('NewCrawl'),
      examples: {
        documentation: {
          summary: 'A manual as Markdown',
          value: {
            url: 'https://docs.example.com/',
            source: 'both',
            limit: 500,
            include: ['*/guide/*'],
            exclude: ['*?sort=*'],
            defaults: { format: 'markdown' },
          },
        },
      },
    }),
    ApiResponse({
      status: 202,
      ...CRAWL,
      headers: { Location: { description: 'URL of the crawl.', schema: { type: 'string' } } },
    }),
    ApiProblems(
      'invalid_request',
      'target_forbidden',
      'limit_reached',
      'idempotency_in_flight',
      'idempotency_mismatch',
      'result_expired',
      'payload_too_large',
      'unsupported_media_type',
    ),
  );

export const DocumentsCrawls = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({
      summary: 'List crawls',
      description: 'The crawls of the account, newest first. `next_cursor` leads to the next page.',
      operationId: 'listCrawls',
    }),
    ApiQueryOf(CrawlsQuery),
    ApiResponse({ status: 200, content: { 'application/json': { schema: ref('CrawlList') } } }),
    ApiProblems('invalid_request'),
  );

export const DocumentsCrawl = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({
      summary: 'Show a crawl',
      description:
        'What the crawl has found so far, and what it left out. Its batch has the progress of the captures.',
      operationId: 'getCrawl',
    }),
    ApiId(),
    ApiResponse({ status: 200, ...CRAWL }),
    ApiProblems('not_found'),
  );

export const DocumentsCancel = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({
      summary: 'Cancel a crawl',
      description:
        'Ends the search, and cancels the captures that have not ended, as the cancellation of its batch does, which ends the crawl, too. A repeated request has the same response.',
      operationId: 'cancelCrawl',
    }),
    ApiId(),
    ApiResponse({ status: 200, ...CRAWL }),
    ApiProblems('not_found', 'job_finished'),
  );

export const DocumentsPages = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({
      summary: 'List the pages of a crawl',
      description:
        'The pages in the order in which they were found. `next_cursor` leads to the next page of the list.',
      operationId: 'listCrawlPages',
    }),
    ApiId(),
    ApiQueryOf(CrawlPagesQuery),
    ApiResponse({ status: 200, content: { 'application/json': { schema: ref('CrawlPageList') } } }),
    ApiProblems('invalid_request', 'not_found'),
  );

export const DocumentsBroken = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({
      summary: 'List the broken links of a crawl',
      description:
        'The pages that could not be captured, or that the site answered with a status of 400 or above, with the pages that link to them. A crawl by sitemaps alone does not know who links to them.',
      operationId: 'listBrokenPages',
    }),
    ApiId(),
    ApiQueryOf(BrokenPagesQuery),
    ApiResponse({ status: 200, content: { 'application/json': { schema: ref('BrokenPageList') } } }),
    ApiProblems('invalid_request', 'not_found'),
  );

const DOWNLOAD = `What the crawl has captured so far, as one file that is written while it is sent.

* \`zip\` has every file. \`https://docs.example.com/guide/install.html\` becomes \`guide/install.png\`, and a folder where the capture
  has several outputs. Names that would be the same get the number of the page.
* \`markdown\` is one document of all pages that were captured as Markdown, behind a table of contents.
* \`sitemap\` has the pages that exist under their own address and do not ask to be left out (\`noindex\`).
* If the download fails midway, the connection is aborted: a response that ends normally is complete.`;

export const DocumentsDownload = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({ summary: 'Download a crawl', description: DOWNLOAD, operationId: 'downloadCrawl' }),
    ApiId(),
    ApiQueryOf(CrawlDownloadQuery),
    ApiResponse({
      status: 200,
      description: 'The file.',
      headers: disposition('attachment; filename=crawl-….zip'),
      content: {
        ...ARCHIVE_CONTENT,
        'text/markdown': { schema: { type: 'string' } },
        'application/xml': { schema: { type: 'string' } },
      },
    }),
    ApiProblems('invalid_request', 'not_found', 'storage_unavailable'),
  );
