/**
 * Field decorators: one line states the rule, default and doc of a field, and everything else is derived from it: the
 * validation of a JSON body, the reading of query parameters, CSV cells and environment variables, JSON Schema, docs.
 *
 * Every field is optional. `null` is not the same as absent and is refused (a row of a batch removes a default by it).
 * Nothing is converted implicitly: `"800"` is no number in JSON. `readTexts` converts texts (CSV, query, environment)
 * strictly, by the kind of the field.
 */
import 'reflect-metadata';

export type JsonSchema = Readonly<Record<string, unknown>>;

export type FieldKind = 'flag' | 'whole' | 'decimal' | 'choice' | 'text' | 'list' | 'map';

/** The description of one field. */
export interface FieldSpec {
  readonly name: string;
  readonly kind: FieldKind;
  readonly doc: string;
  /** The rule, as JSON Schema (2020-12). */
  readonly schema: JsonSchema;
  /** Its value is never logged and never returned. */
  readonly secret: boolean;
  readonly example?: unknown;
  /** The documented default of a field that has none of its own because it depends on other fields. */
  readonly fallback?: unknown;
  /** Names of this field elsewhere, such as in other tools; the fault of an unknown field proposes this one for them. */
  readonly alsoCalled?: readonly string[];
  /** The class of the items of a list. */
  readonly items?: new () => object;
  /** The kinds of the items of a list, whose field `type` names the kind. */
  readonly variants?: Variants;
  /** The rule of this one field, besides those of its kind. */
  readonly check?: FieldCheck;
}

/** Returns what the value must be, or undefined when it is valid. It is written for values that satisfy the rules of the kind. */
export type FieldCheck = (value: never) => string | undefined;

/** One kind of object in a list. */
export interface Variant {
  /** The fields besides `type`. */
  readonly fields: AnyClass;
  /** The names of the fields that each object of this kind must have. */
  readonly required: readonly string[];
  readonly doc: string;
}

/** Kinds of objects by the value of their field `type`. */
export type Variants = Readonly<Record<string, Variant>>;

/** What every kind of field may state besides its rule. */
export interface FieldNotes {
  readonly secret?: boolean;
  readonly example?: unknown;
  readonly fallback?: unknown;
  readonly alsoCalled?: readonly string[];
  /** A rule of this one field. */
  readonly check?: FieldCheck;
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

/** The strict JSON Schema of an object of this class, with the doc and default of each property. */
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

/** The strict JSON Schema of an object of one of these kinds. */
export function schemaOfVariants(variants: Variants): JsonSchema {
  const kinds = Object.entries(variants).map(([type, { fields, required, doc }]) => {
    const schema = schemaOf(fields) as { readonly properties: JsonSchema };
    return {
      ...schema,
      title: type,
      description: doc,
      required: ['type', ...required],
      properties: { type: { type: 'string', const: type }, ...schema.properties },
    };
  });
  return { type: 'object', oneOf: kinds };
}

function definedOnly(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

export function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
