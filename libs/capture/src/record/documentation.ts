import { columnsOfFacts, recordFields } from './columns.js';
import { definitionsOf, snakeCase, type Definitions, type RecordFields } from './fact.js';
import { FACTS, noFacts } from './facts.js';

/** The JSON Schema of a field. */
export type FieldSchema = Readonly<Record<string, unknown>>;

/** The schemas of the fields of the record, in their order. */
export function fieldSchemas<D extends Definitions>(facts: D): Record<keyof RecordFields<D>, FieldSchema> {
  const fields = definitionsOf(facts).flatMap(([name, { schema }]) =>
    schema ? [[snakeCase(name), schema]] : [],
  );
  return Object.fromEntries(fields) as Record<keyof RecordFields<D>, FieldSchema>;
}

/** The schemas of the facts in the record of a file. */
export function fileSchemas(): Record<string, object> {
  const fields = definitionsOf(FACTS).flatMap(([name, { fileSchema }]) =>
    fileSchema ? [[snakeCase(name), fileSchema]] : [],
  );
  return Object.fromEntries(fields) as Record<string, object>;
}

/** The schemas that those of the fields refer to, by their names. */
export function factComponents(): Record<string, object> {
  return Object.assign({}, ...definitionsOf(FACTS).map(([, { components }]) => components)) as Record<
    string,
    object
  >;
}

/** The facts of an ordinary page, for examples of the API document. */
export const EXAMPLE_FACTS = { ...noFacts(), change: null, textHash: null, ...givenExamples() };

function givenExamples(): object {
  const given = definitionsOf(FACTS).map(([name, { example, schema }]) => {
    return [name, example ?? (schema as FieldSchema | null | undefined)?.example];
  });
  return Object.fromEntries(given.filter(([, example]) => example !== undefined)) as object;
}

/** The fields of a record in which only these facts are known. */
export function openFields(known: object = {}): RecordFields<typeof FACTS> {
  const columns = definitionsOf(FACTS).map(([name, traits]) => [name, traits.default ?? null]);
  return recordFields(FACTS, { ...(Object.fromEntries(columns) as object), ...columnsOfFacts(known) });
}

/** The fields that the deletion of a capture erases, without their values. */
export function erasedFields(): Partial<RecordFields<typeof FACTS>> {
  const erased = definitionsOf(FACTS).filter(([, { isErased, schema }]) => isErased && schema !== null);
  return Object.fromEntries(erased.map(([name]) => [snakeCase(name), null]));
}
