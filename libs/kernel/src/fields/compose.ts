import { getMetadataStorage } from 'class-validator';
import { addField, fieldsOf, type AnyClass, type FieldSpec } from './field-spec.js';

type Intersection<Types extends readonly AnyClass[]> = (
  Types[number] extends AnyClass<infer Each> ? (Each extends object ? (whole: Each) => void : never) : never
) extends (whole: infer All) => void
  ? All & object
  : never;

/**
 * Makes a class with the fields of all these classes, their rules and defaults included.
 *
 * JavaScript allows one base class only, and class-validator keeps its rules by class, so they are registered again for
 * the new class.
 *
 * @throws Error when two of the classes state the same field, which is a bug
 */
export function compose<const Types extends readonly AnyClass[]>(
  name: string,
  types: Types,
): AnyClass<Intersection<Types>> {
  const whole = {
    [name]: class {
      constructor() {
        for (const type of types) Object.assign(this, new type());
      }
    },
  }[name] as AnyClass<Intersection<Types>>;
  for (const type of types) addFieldsOf(type, whole);
  return whole;
}

/** Makes a class like `compose` does, whose fields have no defaults: an object of it states how it differs from another. */
export function composeOverlay<const Types extends readonly AnyClass[]>(
  name: string,
  types: Types,
): AnyClass<Partial<Intersection<Types>>> {
  const overlay = { [name]: class {} }[name] as AnyClass<Partial<Intersection<Types>>>;
  for (const type of types) addFieldsOf(type, overlay, { fallback: undefined });
  return overlay;
}

/** Makes a class with one of the fields of `type`, its rules included. */
export function single(type: AnyClass, spec: FieldSpec): AnyClass {
  const one = class {};
  addFieldOf(type, spec, one);
  return one;
}

function addFieldsOf(type: AnyClass, whole: AnyClass, changes: Partial<FieldSpec> = {}): void {
  const taken = new Set(fieldsOf(whole).map((spec) => spec.name));
  for (const spec of fieldsOf(type)) {
    if (taken.has(spec.name)) throw new Error(`${spec.name} is stated twice in ${whole.name}`);
    addFieldOf(type, { ...spec, ...changes }, whole);
  }
}

function addFieldOf(type: AnyClass, spec: FieldSpec, target: AnyClass): void {
  addField(target, spec);
  const { name } = spec;
  const rules = getMetadataStorage();
  for (const rule of rules.getTargetValidationMetadatas(type, '', false, false)) {
    if (rule.propertyName === name) rules.addValidationMetadata({ ...rule, target });
  }
}
