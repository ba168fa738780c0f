import { applyDecorators } from '@nestjs/common';
import { ApiHeader, ApiParam, ApiQuery } from '@nestjs/swagger';
import { schemaOf, type AnyClass, type JsonSchema } from '@app/kernel';
import { queryParameterOf, requestSchemaOf } from './request-schemas.js';
import { ID } from './schemas.js';

/** The parameter `id` of the path. */
export const ApiId = (): MethodDecorator =>
  ApiParam({ name: 'id', schema: { type: ID.type, format: ID.format } });

export const ApiIdempotencyKey = (): MethodDecorator =>
  ApiHeader({
    name: 'Idempotency-Key',
    required: false,
    description:
      '1 to 255 printable ASCII characters, bare or quoted. For 24 hours a request that is repeated with the same key is ' +
      'executed once, and has the response of the first one. Example: `8e03978e-40d5-43dd-bc93-6894a57f9324`.',
    // The reference page would send an example with every request.
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  });

/**
 * The query parameters of an operation, from the class that declares them.
 *
 * @param overrides schemas by name that replace those of the class
 */
export function ApiQueryOf(
  type: AnyClass,
  overrides: Readonly<Record<string, JsonSchema>> = {},
): MethodDecorator {
  return queriesOf({ ...propertiesOf(schemaOf(type)), ...overrides });
}

/** The options of the class as query parameters, each under its own name. */
export const ApiOptionQueries = (type: AnyClass): MethodDecorator =>
  queriesOf(propertiesOf(requestSchemaOf(type)));

function queriesOf(schemas: Readonly<Record<string, JsonSchema>>): MethodDecorator {
  return applyDecorators(
    ...Object.entries(schemas).map(([name, schema]) => ApiQuery(queryParameterOf(name, schema))),
  );
}

function propertiesOf(schema: JsonSchema): Readonly<Record<string, JsonSchema>> {
  return schema.properties as Readonly<Record<string, JsonSchema>>;
}
