/**
 * A fact is what a capture finds out about its page or its file. Everything that is done with one follows from its definition:
 * its column, its field of the record, the documentation of that field, and whether the deletion of the capture erases it.
 * Captures that the cache answers have every fact of the capture that answers.
 */

/** The types of the columns of facts. `json` keeps the order of fields, which `jsonb` does not. */
export type ColumnType = 'text' | 'integer' | 'int2' | 'boolean' | 'json' | 'bytea';

/** How a column is stored and shown, whatever it holds. */
export interface ColumnTraits {
  readonly column: ColumnType;
  /** For a column that is never NULL: its default in the table. */
  readonly default?: number;
  /** For a column that may be large: a query reads it only when it names it. */
  readonly readApart?: true;
  /** Whether the deletion of the capture erases it: whatever a caller or a page wrote. */
  readonly isErased: boolean;
  /** The schema of the field of the record; null when the record does not show it. */
  readonly schema: object | null;
  /** Schemas that `schema` refers to, by the name that the API document gives them. */
  readonly components?: Readonly<Record<string, object>>;
  /** The schema of the field of the record of one file, where that has it. */
  readonly fileSchema?: object;
}

export interface FactTraits extends ColumnTraits {
  /** For a fact that each file has: the record of the capture shows that of the first. */
  readonly isOfFile?: true;
  /** Whether a failed capture reports it: it has no file, and its page may be incomplete in any way. */
  readonly whenFailed: boolean;
  /** The value in examples of the API document, if it is neither the example of `schema` nor that of a page without it. */
  readonly example?: unknown;
}

/** What a definition does with values. */
export interface FactWork<Value, Stored, Shown, Columns> {
  /** The value of a visit that has not begun. */
  readonly empty: () => Value;
  /** What the column holds, if it is not the value itself. */
  readonly store?: (value: Value) => Stored;
  /** What the record shows, if it is not what the column holds. */
  readonly show?: (stored: NoInfer<Stored> | null, columns: Columns) => Shown;
}

export function defineFact<
  Value,
  const Traits extends FactTraits,
  Stored = Value,
  Shown = Stored | null,
  Columns extends object = object,
>(
  definition: Traits & FactWork<Value, Stored, Shown, Columns>,
): Traits & FactWork<Value, Stored, Shown, Columns> {
  return definition;
}

/** What a column that follows from a fact does with it. */
export interface DerivedWork<From extends string, Value, Stored> {
  readonly from: From;
  readonly store: (value: Value) => Stored;
}

/** Defines a column that follows from the fact `from`. */
export function deriveColumn<From extends string, Value, Stored, const Traits extends ColumnTraits>(
  definition: Traits & DerivedWork<From, Value, Stored>,
): Traits & DerivedWork<From, Value, Stored> {
  return definition;
}

/** Definitions by the names of their properties in code; columns and fields of the record are named alike in snake case. */
export type Definitions = Readonly<Record<string, ColumnTraits>>;

type FactNames<D extends Definitions> = {
  [Name in keyof D]: D[Name] extends { readonly empty: unknown } ? Name : never;
}[keyof D];

type ValueOf<F> = F extends { readonly empty: () => infer Value } ? Value : never;

/** What a visit finds out, in the terms of the engine. */
export type FoundFacts<D extends Definitions> = { -readonly [Name in FactNames<D>]: ValueOf<D[Name]> };

/** The names of the facts whose definitions have these traits. */
export type NamesWith<D extends Definitions, Traits> = {
  [Name in FactNames<D>]: D[Name] extends Traits ? Name : never;
}[FactNames<D>];

type StoredOf<F> =
  F extends FactWork<infer _Value, infer Stored, infer _Shown, infer _Columns>
    ? Stored
    : F extends DerivedWork<string, infer _From, infer Stored>
      ? Stored
      : never;

type ColumnOf<F> = F extends { readonly default: number } ? StoredOf<F> : StoredOf<F> | null;

type ShownOf<F> = F extends { readonly default: number }
  ? StoredOf<F>
  : F extends FactWork<infer _Value, infer _Stored, infer Shown, infer _Columns>
    ? Shown
    : ColumnOf<F>;

type ReadApart<D extends Definitions> = {
  [Name in keyof D]: D[Name] extends { readonly readApart: true } ? Name : never;
}[keyof D];

/** What the table holds, by the names of the properties. */
export type FactColumns<D extends Definitions> = {
  -readonly [Name in Exclude<keyof D, ReadApart<D>>]: ColumnOf<D[Name]>;
} & { -readonly [Name in ReadApart<D>]?: ColumnOf<D[Name]> };

/** `camelCase` as `camel_case`. */
export type SnakeCase<Name> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : '';

/** The fields of the record. */
export type RecordFields<D extends Definitions> = {
  readonly [Name in keyof D as D[Name] extends { readonly schema: null } ? never : SnakeCase<Name>]: ShownOf<
    D[Name]
  >;
};

/** The fields of the record of one file. */
export type FileFields<D extends Definitions> = {
  readonly [
    Name in keyof D as D[Name] extends { readonly fileSchema: object } ? SnakeCase<Name> : never
  ]: ValueOf<D[Name]>;
};

/** Any definition, whatever values it works with. */
export interface AnyDefinition
  extends ColumnTraits, Partial<Pick<FactTraits, 'isOfFile' | 'whenFailed' | 'example'>> {
  readonly empty?: () => unknown;
  readonly from?: string;
  readonly store?: (value: never) => unknown;
  readonly show?: (stored: never, columns: never) => unknown;
}

export function definitionsOf(facts: Definitions): [name: string, definition: AnyDefinition][] {
  return Object.entries<AnyDefinition>(facts);
}

export function snakeCase<Name extends string>(name: Name): SnakeCase<Name> {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) as SnakeCase<Name>;
}
