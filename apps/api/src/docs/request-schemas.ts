import type { ApiQueryOptions } from '@nestjs/swagger';
import { isPlainObject, schemaOf, type AnyClass, type JsonSchema } from '@app/kernel';

/**
 * The schema of an object in a request. A default is stated in its description alone: generators make a property with
 * a `default` a required one, or send it with each request, and the service refuses an option that the format does not
 * know even with its default.
 */
export function requestSchemaOf(type: AnyClass): JsonSchema {
  return defaultsInWords(schemaOf(type));
}

/**
 * An optional query parameter with this schema: a list or an object is one text of JSON, anything else is itself. The
 * example stands in the description, because the reference page would fill it in and send it.
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
  // An empty example keeps the reference page from making one up and filling it in.
  const content = { 'application/json': { schema, example: isList ? [] : {} } };
  // Nest passes `content` on, but its type does not have it.
  return { ...parameter, content };
}

function defaultsInWords({ default: value, ...schema }: JsonSchema): JsonSchema {
  const { properties, items, description } = schema;
  return {
    ...schema,
    ...(isStated(value) && { description: `${String(description)} Default: \`${textOf(value)}\`.` }),
    ...(isPlainObject(items) && { items: defaultsInWords(items) }),
    ...(isPlainObject(properties) && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, each]) => [name, defaultsInWords(each as JsonSchema)]),
      ),
    }),
  };
}

/** An empty list or object says no more than its absence. */
function isStated(value: unknown): boolean {
  return typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : value !== undefined;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
