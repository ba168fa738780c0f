import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { fieldSchemas, FORMAT_NAMES, RECORD_PARTS, type FieldSchema } from '@app/capture';
import { CANCEL_REASONS, JOB_SOURCES, JOB_STATUSES, type CaptureRecord as Contract } from '@app/jobs';
import { ID, nullable, NULLABLE_TIME, propertyOf, ref, refOrNull, TIME } from '../openapi/schemas.js';

/** The fields of a capture in their order, with those of its facts (`libs/capture/src/record`) between those of the capture itself. */
const FIELDS: Readonly<Record<keyof Contract, ApiPropertyOptions>> = {
  id: ID,
  source: { enum: JOB_SOURCES, description: 'The kind of request that submitted the capture.' },
  status: { enum: JOB_STATUSES },
  reference: nullable('string', { description: "The caller's own tag." }),
  batch_id: nullable('string', { format: 'uuid' }),
  row: nullable('integer', { description: 'Row in the batch, from 1.' }),
  url: nullable('string', { description: 'Null for an `html` target.', example: 'https://example.com/' }),
  ...propertiesOf(RECORD_PARTS.document),
  format: { enum: FORMAT_NAMES },
  ...propertiesOf(RECORD_PARTS.file),
  bytes: nullable('integer', { description: 'Size of the file.', example: 18_231 }),
  sha256: nullable('string', { description: 'SHA-256 of the file, in hex.' }),
  files: {
    type: 'array',
    items: ref('FileRecord'),
    description:
      'All files, in the order of `outputs`; empty until the capture has succeeded. The fields of the capture itself are those of the first.',
  },
  options: {
    type: 'object',
    additionalProperties: true,
    description:
      'The options of the request, over the default options of the service; secrets are `[redacted]`, and `html` is cut after 1,000 characters.',
    example: { url: 'https://example.com', format: 'png' },
  },
  attempts: {
    type: 'integer',
    description:
      'How many times a worker has started the capture. Looks whether its session is ready are not counted.',
  },
  billable: { type: 'boolean', description: 'Whether it costs a unit of the allowance.' },
  timings: propertyOf(refOrNull('Timings')),
  ...propertiesOf(RECORD_PARTS.reports),
  cache: propertyOf(refOrNull('CacheReport')),
  error: propertyOf(refOrNull('CaptureFailure')),
  cancel_reason: nullable('string', { enum: [...CANCEL_REASONS, null] }),
  created_at: TIME,
  started_at: NULLABLE_TIME,
  finished_at: NULLABLE_TIME,
  expires_at: nullable('string', {
    format: 'date-time',
    description: 'When the file is deleted automatically.',
  }),
  deleted_at: nullable('string', {
    format: 'date-time',
    description: 'When the capture was deleted by `DELETE`; the record has no options, URL or title since.',
  }),
  result_url: nullable('string', { description: 'Path of the file; null when there is none.' }),
};

function propertiesOf<D extends Parameters<typeof fieldSchemas>[0]>(facts: D) {
  const schemas = fieldSchemas(facts);
  return Object.fromEntries(
    Object.entries<FieldSchema>(schemas).map(([name, schema]) => [name, propertyOf(schema)]),
  ) as Record<keyof typeof schemas, ApiPropertyOptions>;
}

/** A capture, as the OpenAPI document describes it. */
export const CaptureRecord = class CaptureRecord {} as (new () => Contract) & { readonly prototype: object };
export type CaptureRecord = Contract;

for (const [name, options] of Object.entries(FIELDS)) ApiProperty(options)(CaptureRecord.prototype, name);

export class CaptureList {
  @ApiProperty({ type: [CaptureRecord] })
  items!: CaptureRecord[];

  @ApiProperty(nullable('string', { description: '`cursor` of the next page; null on the last.' }))
  next_cursor!: string | null;
}
