import type { ApiQueryOptions } from '@nestjs/swagger';
import { isPlainObject, schemaOf, type AnyClass, type JsonSchema } from '@app/kernel';

/**
 * The schema of an object in a request. Defaults are stated in the descriptions only: client generators make a property
 * with a `default` required, or send it with each request, and the service refuses an option that does not apply to the
 * format even with its default.
 */
export function requestSchemaOf(type: AnyClass): JsonSchema {
  return defaultsInWords(schemaOf(type));
}

/**
 * An optional query parameter with this schema; a list or an object is encoded as JSON. The example is part of the
 * description, because the reference page would fill in and send an `example`.
 */
export function queryParameterOf(
  name: string,
  { description, example, ...schema }: JsonSchema,
): ApiQueryOptions {
  const text = [description, ...(example === undefined ? [] : [`Example: \`${textOf(example)}\`.`])].join(
    ' ',
  );
  const parameter = { name, required: false, description: text };
  const isList = schema.type === 'array';
  if (!isList && schema.type !== 'object' && !('$ref' in schema)) return { ...parameter, schema };
  // Without an example the reference page would make one up and fill it in.
  const content = { 'application/json': { schema, example: isList ? [] : {} } };
  // Nest supports `content`, but its type does not declare it.
  return { ...parameter, content };
}

function defaultsInWords({ default: value, ...schema }: JsonSchema): JsonSchema {
  const { properties, items, oneOf, description } = schema;
  return {
    ...schema,
    ...(isStated(value) && { description: `${String(description)} Default: \`${textOf(value)}\`.` }),
    ...(isPlainObject(items) && { items: defaultsInWords(items) }),
    ...(Array.isArray(oneOf) && { oneOf: oneOf.map((kind: JsonSchema) => defaultsInWords(kind)) }),
    ...(isPlainObject(properties) && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, each]) => [name, defaultsInWords(each as JsonSchema)]),
      ),
    }),
  };
}

/** An empty list or object means the same as no value, so it is not stated. */
function isStated(value: unknown): boolean {
  return typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : value !== undefined;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
