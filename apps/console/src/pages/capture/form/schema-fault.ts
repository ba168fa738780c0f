import type { CatalogueSchema } from '@capture-service/client';

/**
 * What the API document says against a value, in words after the name of the field. The service checks the rest, and says
 * better than a pattern what a text must be.
 */
export function schemaFault(schema: CatalogueSchema, value: unknown): string | undefined {
  return typeFault(schema, value) ?? ruleFault(schema, value);
}

const TYPES: Readonly<Record<CatalogueSchema['type'], string>> = {
  string: 'a text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
};

function typeFault({ type }: CatalogueSchema, value: unknown): string | undefined {
  const fits = {
    string: typeof value === 'string',
    integer: Number.isInteger(value),
    number: typeof value === 'number' && Number.isFinite(value),
    boolean: typeof value === 'boolean',
    array: Array.isArray(value),
    object: typeof value === 'object' && value !== null && !Array.isArray(value),
  }[type];
  return fits ? undefined : `must be ${TYPES[type]}`;
}

function ruleFault(schema: CatalogueSchema, value: unknown): string | undefined {
  if (typeof value === 'number') return numberFault(schema, value);
  if (typeof value === 'string') return textFault(schema, value);
  if (Array.isArray(value)) return listFault(schema, value);
  if (typeof value === 'object' && value !== null) return objectFault(schema, value);
  return undefined;
}

function numberFault({ minimum = -Infinity, maximum = Infinity }: CatalogueSchema, value: number) {
  if (value >= minimum && value <= maximum) return undefined;
  if (maximum === Infinity) return `must be at least ${minimum}`;
  return minimum === -Infinity ? `must be at most ${maximum}` : `must be between ${minimum} and ${maximum}`;
}

function textFault({ enum: choices, minLength = 0, maxLength = Infinity }: CatalogueSchema, value: string) {
  if (choices) return choices.includes(value) ? undefined : `must be one of ${choices.join(', ')}`;
  // JSON Schema counts characters, not units of UTF-16.
  const length = value.length > maxLength || value.length < minLength * 2 ? [...value].length : value.length;
  if (length < minLength)
    return length === 0 ? 'must not be empty' : `must be at least ${minLength} characters long`;
  if (length > maxLength) return `must be at most ${maxLength} characters long`;
  return undefined;
}

function listFault({ items, minItems = 0, maxItems = Infinity }: CatalogueSchema, value: readonly unknown[]) {
  if (value.length < minItems) return `must have at least ${minItems} entries`;
  if (value.length > maxItems) return `must have at most ${maxItems} entries`;
  return items && firstFault(value.map((each, i) => [`entry ${i + 1}`, schemaFault(items, each)]));
}

function objectFault(schema: CatalogueSchema, value: object): string | undefined {
  if (schema.oneOf) return kindFault(schema.oneOf, value);
  const { properties = {}, additionalProperties, required = [] } = schema;
  const fault = firstFault(
    Object.entries(value).map(([name, each]) => {
      const known = Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (known) return [name, schemaFault(known, each)];
      if (typeof additionalProperties === 'object') return [name, schemaFault(additionalProperties, each)];
      return [name, additionalProperties === false ? 'is not a field' : undefined];
    }),
  );
  if (fault !== undefined) return fault;
  const missing = required.find((name) => !Object.hasOwn(value, name));
  return missing === undefined ? undefined : `${missing} is required`;
}

/** The fault of an object whose property `type` names its kind. */
function kindFault(kinds: readonly CatalogueSchema[], value: object): string | undefined {
  const { type } = value as { type?: unknown };
  const kind = kinds.find(({ properties }) => properties?.type?.const === type);
  if (kind) return objectFault(kind, value);
  return `type must be one of ${kinds.map(({ properties }) => properties?.type?.const).join(', ')}`;
}

function firstFault(faults: readonly (readonly [string, string | undefined])[]): string | undefined {
  const [at, fault] = faults.find(([, each]) => each !== undefined) ?? [];
  return fault === undefined ? undefined : `${at} ${fault}`;
}
