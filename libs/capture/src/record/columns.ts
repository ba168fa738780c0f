import {
  definitionsOf,
  snakeCase,
  type ColumnTraits,
  type Definitions,
  type FactColumns,
  type FileFields,
  type NamesWith,
  type RecordFields,
} from './fact.js';
import { FACTS, type CaptureFacts } from './facts.js';

type Row = Readonly<Record<string, unknown>>;

/** The column of a fact or of what follows from one. */
export interface FactColumn extends Pick<ColumnTraits, 'column' | 'default' | 'readApart' | 'isErased'> {
  /** The name of its property in code. */
  readonly property: string;
  readonly name: string;
}

/** Every column of a fact, in the order of the record. */
export const FACT_COLUMNS: readonly FactColumn[] = definitionsOf(FACTS).map(([property, traits]) => {
  const { column, default: fallback, readApart, isErased } = traits;
  return { property, name: snakeCase(property), column, default: fallback, readApart, isErased };
});

/** The facts that the record has of each file. */
export type ShownFileFacts = Pick<
  CaptureFacts,
  NamesWith<typeof FACTS, { readonly fileSchema: object }> & keyof CaptureFacts
>;

/** Their names. */
export const FILE_FACT_NAMES = definitionsOf(FACTS).flatMap(([name, { fileSchema }]) =>
  fileSchema === undefined ? [] : [name],
);

/** What the table holds of the facts. */
export type StoredFacts = FactColumns<typeof FACTS>;

/** What the columns hold for these facts. A column of a fact that is not among them is left out. */
export function columnsOfFacts(facts: object): Partial<StoredFacts> {
  const found = new Map<string, unknown>(Object.entries(facts));
  const columns = definitionsOf(FACTS).flatMap(([name, { from = name, store }]) => {
    if (!found.has(from)) return [];
    const value = found.get(from);
    return [[name, store ? store(value as never) : value]];
  });
  return Object.fromEntries(columns) as Partial<StoredFacts>;
}

/** The fields of the record for these columns, in their order. */
export function recordFields<D extends Definitions>(facts: D, columns: object): RecordFields<D> {
  const row = columns as Row;
  const fields = definitionsOf(facts)
    .filter(([, { schema }]) => schema !== null)
    .map(([name, { show }]) => {
      const stored = row[name];
      return [snakeCase(name), show ? show(stored as never, row as never) : stored];
    });
  return Object.fromEntries(fields) as RecordFields<D>;
}

/** The fields of the record of a file. */
export function fileFields(facts: object): FileFields<typeof FACTS> {
  const row = facts as Row;
  return Object.fromEntries(FILE_FACT_NAMES.map((name) => [snakeCase(name), row[name]])) as FileFields<
    typeof FACTS
  >;
}
