/**
 * Field decorators: one line states a field's rule, default and doc, and everything else is derived from it:
 * validation of a JSON body, reading of query parameters, CSV cells and environment variables, JSON Schema, docs.
 *
 * Each field is optional; `null` is not the same as absent and is refused (a row of a batch lifts a default by it). Nothing is converted implicitly:
 * `"800"` is no number in JSON. Texts (CSV, query, environment) are read by `readTexts`, strictly, by the field's kind.
 */
import 'reflect-metadata';

export type JsonSchema = Readonly<Record<string, unknown>>;

export type FieldKind = 'flag' | 'whole' | 'decimal' | 'choice' | 'text' | 'list' | 'map';

/** What is known of one field. */
export interface FieldSpec {
  readonly name: string;
  readonly kind: FieldKind;
  readonly doc: string;
  /** The rule, as JSON Schema (2020-12). */
  readonly schema: JsonSchema;
  /** Never logged, never shown again. */
  readonly secret: boolean;
  /** The output formats for which the field has a meaning; absent: all. */
  readonly formats?: readonly string[];
  readonly example?: unknown;
  /** What holds for a field that is left out and has no default of its own, because other fields have a say in it. */
  readonly fallback?: unknown;
  /** The class of a list's items. */
  readonly items?: new () => object;
}

/** What any field may say besides its rule. */
export interface FieldNotes {
  readonly secret?: boolean;
  readonly formats?: readonly string[];
  readonly example?: unknown;
  readonly fallback?: unknown;
  /** A rule of its own: what is wrong with the value and how to mend it, or undefined. */
  readonly check?: (value: never) => string | undefined;
}

const FIELDS = Symbol('fields');

export type AnyClass<T extends object = object> = new () => T;

/** The fields of a class in the order of their declaration, those of its base classes first. */
export function fieldsOf(type: AnyClass): readonly FieldSpec[] {
  return (Reflect.getMetadata(FIELDS, type) as FieldSpec[] | undefined) ?? [];
}

/** Adds a field to a class; the decorators call it. */
export function addField(type: AnyClass, spec: FieldSpec): void {
  Reflect.defineMetadata(FIELDS, [...fieldsOf(type), spec], type);
}

/** The JSON Schema of an object of this class: strict, each property with its doc and default. */
export function schemaOf(type: AnyClass): JsonSchema {
  const defaults = new type() as Record<string, unknown>;
  const properties = Object.fromEntries(
    fieldsOf(type).map(({ name, doc, schema, example, fallback }) => [
      name,
      {
        ...schema,
        description: doc,
        ...definedOnly({ default: defaults[name] ?? fallback, example }),
      },
    ]),
  );
  return { type: 'object', additionalProperties: false, properties };
}

function definedOnly(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

export function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
