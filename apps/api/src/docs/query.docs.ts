import { applyDecorators } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';
import { schemaOf, type AnyClass, type JsonSchema } from '@app/kernel';
import { queryParameterOf, requestSchemaOf } from './request-schemas.js';

/**
 * The query parameters of an operation, from the class that reads them.
 *
 * @param named schemas of the document that take the place of a field's own
 */
export function ApiQueryOf(
  type: AnyClass,
  named: Readonly<Record<string, JsonSchema>> = {},
): MethodDecorator {
  return queriesOf({ ...propertiesOf(schemaOf(type)), ...named });
}

/** The options of the class as query parameters, each by its own name. */
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
