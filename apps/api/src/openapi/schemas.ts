import type { ApiPropertyOptions } from '@nestjs/swagger';

export { boolean, every, integer, ref, refOrNull, string } from '@app/kernel';

/**
 * Building blocks of schemas.
 *
 * `nullable` is OpenAPI 3.0's keyword; Nest writes `"type": [type, "null"]` for it in a 3.1 document. To Nest, a `type` that
 * is a list means an array.
 */
export const nullable = (type: string, more: object = {}): ApiPropertyOptions =>
  ({ type, nullable: true, ...more }) as unknown as ApiPropertyOptions;

/** A schema in the form of OpenAPI 3.1 as Nest takes it, which asks for a type even beside `oneOf`. */
export function propertyOf({ type, ...more }: Readonly<Record<string, unknown>>): ApiPropertyOptions {
  if (Array.isArray(type)) return nullable(String(type[0]), more);
  return { type: type ?? Object, ...more } as ApiPropertyOptions;
}

export const ID = {
  type: 'string',
  format: 'uuid',
  example: '01990b4e-7a52-7c3e-9d3b-8f6f4c1f2a10',
} as const;
export const TIME = { type: 'string', format: 'date-time', example: '2026-11-21T10:15:30.123Z' } as const;
export const NULLABLE_TIME = nullable('string', { format: 'date-time', example: TIME.example });

export const counts = (description: string): ApiPropertyOptions => ({
  type: 'object',
  additionalProperties: { type: 'integer' },
  description,
});
