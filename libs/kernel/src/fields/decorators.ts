import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsNumber,
  IsString,
  Length,
  Max,
  Min,
  ValidateBy,
  ValidateIf,
  type ValidationArguments,
  type ValidationOptions,
} from 'class-validator';
import {
  addField,
  isPlainObject,
  schemaOf,
  schemaOfVariants,
  type AnyClass,
  type FieldNotes,
  type FieldSpec,
  type Variants,
} from './field-spec.js';
import { isStorable } from './quick-look.js';
import { nearestName } from './validate.js';

function rule(code: string, message: string): ValidationOptions {
  return { message, context: { code } };
}

function field(
  spec: Omit<FieldSpec, 'name' | 'secret'>,
  notes: FieldNotes,
  rules: readonly PropertyDecorator[],
): PropertyDecorator {
  return (prototype, key) => {
    const type = prototype.constructor as AnyClass;
    const { check, secret = false } = notes;
    addField(type, { ...spec, ...notes, secret, name: String(key) });
    ValidateIf((_, value) => value !== undefined)(prototype, key);
    // class-validator reports the constraints of a field in no promised order: validate.ts orders them by their codes.
    const own = check && [ownRule(check as (value: unknown) => string | undefined)];
    [...rules, ...(own ?? [])].forEach((decorate) => {
      decorate(prototype, key);
    });
  };
}

function ownRule(check: (value: unknown) => string | undefined): PropertyDecorator {
  const faultOf = (value: unknown): string | undefined => {
    try {
      return check(value);
    } catch {
      // The value has the wrong type, which another rule reports.
      return 'is not valid';
    }
  };
  return ValidateBy(
    {
      name: 'own',
      validator: {
        validate: (value) => faultOf(value) === undefined,
        defaultMessage: (args) => faultOf(args?.value) ?? 'is not valid',
      },
    },
    { context: { code: 'invalid_value' } },
  );
}

/**
 * Limits the rule of a field to values that satisfy the rules of its type. It is written for these, and may take minutes
 * for a megabyte where 100 characters are allowed.
 */
function checkingOnly<Value>(fits: (value: unknown) => boolean, { check, ...notes }: FieldNotes): FieldNotes {
  if (!check) return notes;
  const own = check as (value: Value) => string | undefined;
  return { ...notes, check: (value: Value) => (fits(value) ? own(value) : undefined) };
}

/** `true` or `false`. */
export function Flag(doc: string, notes: FieldNotes = {}): PropertyDecorator {
  return field({ kind: 'flag', doc, schema: { type: 'boolean' } }, notes, [
    IsBoolean(rule('wrong_type', 'must be true or false')),
  ]);
}

/** A whole number within `min` and `max`. */
export function Whole(
  doc: string,
  { min, max, ...notes }: { min: number; max: number } & FieldNotes,
): PropertyDecorator {
  const text = `must be a whole number between ${min} and ${max}`;
  return field({ kind: 'whole', doc, schema: { type: 'integer', minimum: min, maximum: max } }, notes, [
    IsInt(rule('wrong_type', text)),
    Min(min, rule('out_of_range', text)),
    Max(max, rule('out_of_range', text)),
  ]);
}

/** A finite number within `min` and `max`. */
export function Decimal(
  doc: string,
  { min, max, ...notes }: { min: number; max: number } & FieldNotes,
): PropertyDecorator {
  const text = `must be a number between ${min} and ${max}`;
  return field({ kind: 'decimal', doc, schema: { type: 'number', minimum: min, maximum: max } }, notes, [
    IsNumber({}, rule('wrong_type', text)),
    Min(min, rule('out_of_range', text)),
    Max(max, rule('out_of_range', text)),
  ]);
}

/** One of a fixed set of words. */
export function Choice(values: readonly string[], doc: string, notes: FieldNotes = {}): PropertyDecorator {
  return field({ kind: 'choice', doc, schema: { type: 'string', enum: [...values] } }, notes, [
    IsIn([...values], {
      message: ({ value }: ValidationArguments) =>
        `must be one of ${values.join(', ')}${proposal(value, values)}`,
      context: { code: 'not_allowed' },
    }),
  ]);
}

function proposal(value: unknown, values: readonly string[]): string {
  const near = typeof value === 'string' ? nearestName(value, values) : undefined;
  return near === undefined ? '' : `; did you mean ${near}?`;
}

/** A text without NUL and lone surrogates (PostgreSQL stores neither), of `min` to `max` UTF-16 units. */
export function Text(
  doc: string,
  {
    min = 1,
    max,
    pattern,
    message,
    ...notes
  }: { min?: number; max: number; pattern?: RegExp; message?: string } & FieldNotes,
): PropertyDecorator {
  const schema = {
    type: 'string',
    minLength: min,
    maxLength: max,
    ...(pattern && { pattern: pattern.source }),
  };
  const fits = (value: unknown): boolean => typeof value === 'string' && value.length <= max;
  return field({ kind: 'text', doc, schema }, checkingOnly<string>(fits, notes), [
    IsString(rule('wrong_type', 'must be a string')),
    Length(min, max, rule('wrong_length', `must be ${min} to ${max} characters long`)),
    storable(),
    ...(pattern ? [matching(pattern, fits, message)] : []),
  ]);
}

/** The pattern is tested only on values that satisfy the rules of the type, as in `checkingOnly`. */
function matching(pattern: RegExp, fits: (value: unknown) => boolean, message?: string): PropertyDecorator {
  return ValidateBy(
    { name: 'matches', validator: { validate: (value) => !fits(value) || pattern.test(String(value)) } },
    rule('invalid_value', message ?? `must match ${pattern.source}`),
  );
}

/** A list of texts, each of 1 to `maxLength` characters. */
export function TextList(
  doc: string,
  {
    maxItems,
    maxLength,
    choices,
    ...notes
  }: { maxItems: number; maxLength: number; choices?: readonly string[] } & FieldNotes,
): PropertyDecorator {
  const each = { each: true };
  const item = choices ? { type: 'string', enum: [...choices] } : { type: 'string', minLength: 1, maxLength };
  const fits = (value: unknown): boolean =>
    Array.isArray(value) &&
    value.length <= maxItems &&
    value.every((each) => typeof each === 'string' && each.length <= maxLength);
  const schema = { type: 'array', maxItems, items: item };
  return field({ kind: 'list', doc, schema }, checkingOnly<readonly string[]>(fits, notes), [
    IsArray(rule('wrong_type', 'must be a list of strings')),
    ArrayMaxSize(maxItems, rule('too_many', `must have at most ${maxItems} items`)),
    IsString({ ...rule('wrong_type', 'must be a list of strings'), ...each }),
    Length(1, maxLength, {
      ...rule('wrong_length', `must have items of 1 to ${maxLength} characters`),
      ...each,
    }),
    storable(each),
    ...(choices
      ? [
          IsIn([...choices], {
            ...rule('not_allowed', `must only contain ${choices.join(', ')}`),
            ...each,
          }),
        ]
      : []),
  ]);
}

/** A map of names to texts. */
export function TextMap(doc: string, notes: FieldNotes = {}): PropertyDecorator {
  const isTextMap = (value: unknown): boolean =>
    isPlainObject(value) && Object.values(value).every((v) => typeof v === 'string' && isStorable(v));
  return field(
    { kind: 'map', doc, schema: { type: 'object', additionalProperties: { type: 'string' } } },
    notes,
    [
      ValidateBy(
        { name: 'isTextMap', validator: { validate: isTextMap } },
        rule('wrong_type', 'must be an object of strings'),
      ),
    ],
  );
}

/** An object with the fields of the class `type`; its reader validates them. */
export function Part(type: AnyClass, doc: string, notes: FieldNotes = {}): PropertyDecorator {
  return field({ kind: 'map', doc, schema: schemaOf(type) }, notes, [
    ValidateBy(
      { name: 'isPlainObject', validator: { validate: isPlainObject } },
      rule('wrong_type', 'must be a JSON object'),
    ),
  ]);
}

/** A list of objects of class `item`, whose fields `faultsOf` validates, too. */
export function Items(
  item: AnyClass,
  doc: string,
  { maxItems, ...notes }: { maxItems: number } & FieldNotes,
): PropertyDecorator {
  return field(
    { kind: 'list', doc, items: item, schema: { type: 'array', maxItems, items: schemaOf(item) } },
    notes,
    [
      IsArray(rule('wrong_type', 'must be a list of objects')),
      ArrayMaxSize(maxItems, rule('too_many', `must have at most ${maxItems} items`)),
    ],
  );
}

/** A list of objects of several kinds, each named by the field `type`, whose fields `faultsOf` validates, too. */
export function VariantItems(
  variants: Variants,
  doc: string,
  { maxItems, ...notes }: { maxItems: number } & FieldNotes,
): PropertyDecorator {
  const schema = { type: 'array', maxItems, items: schemaOfVariants(variants) };
  return field({ kind: 'list', doc, variants, schema }, notes, [
    IsArray(rule('wrong_type', 'must be a list of objects')),
    ArrayMaxSize(maxItems, rule('too_many', `must have at most ${maxItems} items`)),
  ]);
}

/** A list of objects with any fields; their reader validates them. */
export function ObjectList(
  doc: string,
  { maxItems, ...notes }: { maxItems: number } & FieldNotes,
): PropertyDecorator {
  const schema = { type: 'array', maxItems, items: { type: 'object', additionalProperties: true } };
  return field({ kind: 'list', doc, schema }, notes, [
    IsArray(rule('wrong_type', 'must be a list of objects')),
    ArrayMaxSize(maxItems, rule('too_many', `must have at most ${maxItems} items`)),
  ]);
}

function storable(options: ValidationOptions = {}): PropertyDecorator {
  return ValidateBy(
    {
      name: 'isStorable',
      validator: { validate: (value) => typeof value !== 'string' || isStorable(value) },
    },
    { ...rule('invalid_characters', 'must not contain NUL or a lone surrogate'), ...options },
  );
}
