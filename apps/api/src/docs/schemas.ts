import type { ApiPropertyOptions } from '@nestjs/swagger';

/**
 * Pieces of the OpenAPI schemas of responses that many of them share.
 *
 * `nullable` is OpenAPI 3.0's word; Nest writes `"type": [type, "null"]` for it in a document of 3.1. A `type` that is
 * a list means an array to Nest.
 */
export const nullable = (type: string, more: object = {}): ApiPropertyOptions =>
  ({ type, nullable: true, ...more }) as unknown as ApiPropertyOptions;

export const ID = {
  type: 'string',
  format: 'uuid',
  example: '01990b4e-7a52-7c3e-9d3b-8f6f4c1f2a10',
} as const;
export const TIME = { type: 'string', format: 'date-time', example: '2026-11-21T10:15:30.123Z' } as const;
export const NULLABLE_TIME = nullable('string', { format: 'date-time', example: TIME.example });

/** A component that the document holds besides the classes of responses. */
export const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

export const nullableRef = (name: string): ApiPropertyOptions => ({ oneOf: [ref(name), { type: 'null' }] });

export const counts = (description: string): ApiPropertyOptions => ({
  type: 'object',
  additionalProperties: { type: 'integer' },
  description,
});
