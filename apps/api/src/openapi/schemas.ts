import type { ApiPropertyOptions } from '@nestjs/swagger';

/**
 * Building blocks of schemas.
 *
 * `nullable` is OpenAPI 3.0's keyword; Nest writes `"type": [type, "null"]` for it in a 3.1 document. To Nest, a `type` that
 * is a list means an array.
 */
export const nullable = (type: string, more: object = {}): ApiPropertyOptions =>
  ({ type, nullable: true, ...more }) as unknown as ApiPropertyOptions;

export const integer = { type: 'integer' };
export const string = { type: 'string' };
export const boolean = { type: 'boolean' };

export const ID = {
  type: 'string',
  format: 'uuid',
  example: '01990b4e-7a52-7c3e-9d3b-8f6f4c1f2a10',
} as const;
export const TIME = { type: 'string', format: 'date-time', example: '2026-11-21T10:15:30.123Z' } as const;
export const NULLABLE_TIME = nullable('string', { format: 'date-time', example: TIME.example });

/** A reference to a schema of the document. */
export const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

export const nullableRef = (name: string): ApiPropertyOptions => ({ oneOf: [ref(name), { type: 'null' }] });

/** An object whose properties are all required. */
export const every = (properties: object) => ({
  type: 'object',
  required: Object.keys(properties),
  properties,
});

export const counts = (description: string): ApiPropertyOptions => ({
  type: 'object',
  additionalProperties: { type: 'integer' },
  description,
});
