/**
 * The decorators of options: those of other fields, except that each option must state its exposure. `secret` follows from it.
 */
import * as field from '@app/kernel';
import type { AnyClass, FieldNotes, FieldSpec, Variants } from '@app/kernel';
import type { Exposure } from './exposure.js';

/** What an option states besides its rule. */
type Notes = Omit<FieldNotes, 'secret'> & { readonly exposure: Exposure };

/** The description of an option. */
export interface OptionSpec extends FieldSpec {
  readonly exposure: Exposure;
}

const EXPOSURES = new WeakMap<AnyClass, Map<string, Exposure>>();

/**
 * The options of a class in the order of their declaration.
 *
 * @throws Error when one does not state its exposure, because its decorator is not one of this file
 */
export function optionSpecsOf(type: AnyClass): readonly OptionSpec[] {
  return field.fieldsOf(type).map((spec) => {
    const exposure = EXPOSURES.get(type)?.get(spec.name);
    if (exposure === undefined) throw new Error(`The option ${spec.name} does not state its exposure.`);
    return { ...spec, exposure };
  });
}

/** Makes a decorator of an option from that of a field. */
function option<N extends Notes>(
  { exposure, ...notes }: N,
  decorate: (notes: Omit<N, 'exposure'> & { secret: boolean }) => PropertyDecorator,
): PropertyDecorator {
  return (prototype, key) => {
    const type = prototype.constructor as AnyClass;
    EXPOSURES.set(type, (EXPOSURES.get(type) ?? new Map<string, Exposure>()).set(String(key), exposure));
    decorate({ ...notes, secret: exposure === 'secret' })(prototype, key);
  };
}

/** `true` or `false`. */
export const Flag = (doc: string, notes: Notes): PropertyDecorator =>
  option(notes, (rest) => field.Flag(doc, rest));

/** A whole number within `min` and `max`. */
export const Whole = (
  doc: string,
  notes: { readonly min: number; readonly max: number } & Notes,
): PropertyDecorator => option(notes, (rest) => field.Whole(doc, rest));

/** A finite number within `min` and `max`. */
export const Decimal = (
  doc: string,
  notes: { readonly min: number; readonly max: number } & Notes,
): PropertyDecorator => option(notes, (rest) => field.Decimal(doc, rest));

/** One of a fixed set of words. */
export const Choice = (values: readonly string[], doc: string, notes: Notes): PropertyDecorator =>
  option(notes, (rest) => field.Choice(values, doc, rest));

/** A text of `min` to `max` UTF-16 units. */
export const Text = (
  doc: string,
  notes: { readonly min?: number; readonly max: number } & Notes,
): PropertyDecorator => option(notes, (rest) => field.Text(doc, rest));

/** A list of texts, each of 1 to `maxLength` characters. */
export const TextList = (
  doc: string,
  notes: {
    readonly maxItems: number;
    readonly maxLength: number;
    readonly choices?: readonly string[];
  } & Notes,
): PropertyDecorator => option(notes, (rest) => field.TextList(doc, rest));

/** A map of names to texts. */
export const TextMap = (doc: string, notes: Notes): PropertyDecorator =>
  option(notes, (rest) => field.TextMap(doc, rest));

/** A list of objects of class `item`. */
export const Items = (
  item: AnyClass,
  doc: string,
  notes: { readonly maxItems: number } & Notes,
): PropertyDecorator => option(notes, (rest) => field.Items(item, doc, rest));

/** A list of objects of several kinds, each named by its field `type`. */
export const VariantItems = (
  variants: Variants,
  doc: string,
  notes: { readonly maxItems: number } & Notes,
): PropertyDecorator => option(notes, (rest) => field.VariantItems(variants, doc, rest));

/** An object with the fields of the class `type`; the rules of its family validate them. */
export const Part = (type: AnyClass, doc: string, notes: Notes): PropertyDecorator =>
  option(notes, (rest) => field.Part(type, doc, rest));
