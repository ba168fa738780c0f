import { ApiProperty } from '@nestjs/swagger';
import {
  FORMAT_NAMES,
  type BlockedRequests,
  type CaptureTimings,
  type ChangeReport,
  type ConsentReport,
  type OverlayReport,
  type Format,
  type MissingReport,
  type PageMetadata,
  type ReadinessReport,
  type StableReport,
  type Verdict,
} from '@app/capture';
import {
  CANCEL_REASONS,
  JOB_SOURCES,
  JOB_STATUSES,
  type CacheReport,
  type CaptureRecord as Contract,
  type FileRecord,
  type Job,
} from '@app/jobs';
import type { ErrorBody } from '@app/kernel';
import { ID, nullable, NULLABLE_TIME, nullableRef, ref, TIME } from '../openapi/schemas.js';

/** A capture, as the OpenAPI document describes it. */
export class CaptureRecord implements Contract {
  @ApiProperty(ID)
  id!: string;

  @ApiProperty({ enum: JOB_SOURCES, description: 'The kind of request that submitted the capture.' })
  source!: Job['source'];

  @ApiProperty({ enum: JOB_STATUSES })
  status!: Job['status'];

  @ApiProperty(nullable('string', { description: "The caller's own tag." }))
  reference!: string | null;

  @ApiProperty(nullable('string', { format: 'uuid' }))
  batch_id!: string | null;

  @ApiProperty(nullable('integer', { description: 'Row in the batch, from 1.' }))
  row!: number | null;

  @ApiProperty(
    nullable('string', { description: 'Null for an `html` target.', example: 'https://example.com/' }),
  )
  url!: string | null;

  @ApiProperty(
    nullable('string', {
      description: 'URL of the page after redirects.',
      example: 'https://example.com/',
    }),
  )
  final_url!: string | null;

  @ApiProperty(nullable('integer', { description: 'HTTP status of the page.', example: 200 }))
  http_status!: number | null;

  @ApiProperty(nullable('string', { example: 'Example Domain' }))
  title!: string | null;

  @ApiProperty({ enum: FORMAT_NAMES })
  format!: Format;

  @ApiProperty(
    nullable('integer', { description: 'Width of a picture in px; null in other formats.', example: 1280 }),
  )
  width!: number | null;

  @ApiProperty(nullable('integer', { example: 800 }))
  height!: number | null;

  @ApiProperty(nullable('integer', { description: 'Number of pages of a PDF; null in other formats.' }))
  pages!: number | null;

  @ApiProperty(nullable('integer', { description: 'Full height of the page in CSS px.', example: 800 }))
  page_height!: number | null;

  @ApiProperty(nullable('boolean', { description: 'Whether the page was larger than what was captured.' }))
  truncated!: boolean | null;

  @ApiProperty(
    nullable('boolean', {
      description:
        'False when a wait timed out under `on_timeout: "capture"`, when the page was still loading what a click, `js` or scrolling requested, or when parts of it were never revealed; `missing.reasons` says which.',
    }),
  )
  complete!: boolean | null;

  @ApiProperty(nullableRef('MissingReport'))
  missing!: MissingReport | null;

  @ApiProperty(nullable('integer', { description: 'Size of the file.', example: 18_231 }))
  bytes!: number | null;

  @ApiProperty(nullable('string', { description: 'SHA-256 of the file, in hex.' }))
  sha256!: string | null;

  @ApiProperty({
    type: 'array',
    items: ref('FileRecord'),
    description:
      'All files, in the order of `outputs`; empty until the capture has succeeded. The fields of the capture itself are those of the first.',
  })
  files!: readonly FileRecord[];

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description:
      'The options of the request, over the default options of the service; secrets are `[redacted]`, and `html` is cut after 1,000 characters.',
    example: { url: 'https://example.com', format: 'png' },
  })
  options!: Record<string, unknown>;

  @ApiProperty({ type: 'integer', description: 'How many times a worker has started the capture.' })
  attempts!: number;

  @ApiProperty({ type: 'boolean', description: 'Whether it costs a unit of the allowance.' })
  billable!: boolean;

  @ApiProperty(nullableRef('Timings'))
  timings!: CaptureTimings | null;

  @ApiProperty({ type: 'integer', description: 'Requests that an option or the egress guard blocked.' })
  blocked_requests!: number;

  @ApiProperty(nullableRef('BlockedRequests'))
  blocked!: BlockedRequests | null;

  @ApiProperty({ type: 'integer' })
  failed_requests!: number;

  @ApiProperty(nullableRef('ConsentReport'))
  consent!: ConsentReport | null;

  @ApiProperty({
    ...nullable('array', { items: ref('OverlayReport') }),
    description:
      'What `block_annoyances` removed that had come over the page, at most 20; null when it is off. What the filter lists hide is not listed.',
  })
  overlays!: readonly OverlayReport[] | null;

  @ApiProperty(nullableRef('ReadinessReport'))
  readiness!: ReadinessReport | null;

  @ApiProperty(nullableRef('Verdict'))
  verdict!: Verdict | null;

  @ApiProperty(nullableRef('StableReport'))
  stable!: StableReport | null;

  @ApiProperty(nullableRef('PageMetadata'))
  page!: PageMetadata | null;

  @ApiProperty(nullableRef('ChangeReport'))
  change!: ChangeReport | null;

  @ApiProperty(nullableRef('CacheReport'))
  cache!: CacheReport | null;

  @ApiProperty(nullableRef('CaptureFailure'))
  error!: ErrorBody | null;

  @ApiProperty(nullable('string', { enum: [...CANCEL_REASONS, null] }))
  cancel_reason!: Job['cancelReason'];

  @ApiProperty(TIME)
  created_at!: string;

  @ApiProperty(NULLABLE_TIME)
  started_at!: string | null;

  @ApiProperty(NULLABLE_TIME)
  finished_at!: string | null;

  @ApiProperty(
    nullable('string', { format: 'date-time', description: 'When the file is deleted automatically.' }),
  )
  expires_at!: string | null;

  @ApiProperty(
    nullable('string', {
      format: 'date-time',
      description: 'When the capture was deleted by `DELETE`; the record has no options, URL or title since.',
    }),
  )
  deleted_at!: string | null;

  @ApiProperty(nullable('string', { description: 'Path of the file; null when there is none.' }))
  result_url!: string | null;
}

export class CaptureList {
  @ApiProperty({ type: [CaptureRecord] })
  items!: CaptureRecord[];

  @ApiProperty(nullable('string', { description: '`cursor` of the next page; null on the last.' }))
  next_cursor!: string | null;
}
