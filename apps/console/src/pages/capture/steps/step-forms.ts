import type { CatalogueSchema } from '@capture-service/client';
import { OPTIONS } from '../form/options.js';

/** A step of `actions` as the form holds it: it may lack what it needs. */
export type StepValue = Readonly<Record<string, unknown>>;

/** A field of a step. */
export interface StepField {
  readonly name: string;
  readonly schema: CatalogueSchema;
}

const KINDS: ReadonlyMap<string, CatalogueSchema> = new Map(
  (OPTIONS.get('actions')?.schema.items?.oneOf ?? []).map((kind) => [
    String(kind.properties?.type?.const),
    kind,
  ]),
);

/** The types of steps, in the order of the documentation. */
export const STEP_TYPES: readonly string[] = [...KINDS.keys()];
export const MAX_STEPS = OPTIONS.get('actions')?.schema.maxItems ?? 0;

/** The fields of which a step has exactly one, with what each stands for. */
const WAYS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  fill: { value: 'Text', secret: 'Secret', totp: 'One-time code' },
  wait: { selector: 'Element', ms: 'Time', function: 'Expression', idle: 'Network' },
};
/** What a way begins with, so that the form knows that it is chosen. */
const FIRST_VALUES: Readonly<Record<string, unknown>> = { ms: 500, idle: true };
/** Fields of `wait` that say something about its element. */
const ABOUT_ELEMENT: readonly string[] = ['state', 'frame'];
/** Most steps need none of these. */
const RARE: readonly string[] = ['frame', 'timeout_ms', 'optional'];

export function stepsOf(value: unknown): readonly StepValue[] {
  const isStep = (each: unknown): each is StepValue => typeof each === 'object' && each !== null;
  return Array.isArray(value) ? value.filter(isStep) : [];
}

export function typeOf({ type }: StepValue): string {
  return String(type);
}

export function descriptionOf(type: string): string {
  return KINDS.get(type)?.description ?? '';
}

/** The ways of a step to choose from: a name and a label for each. */
export function waysOf(step: StepValue): readonly { readonly value: string; readonly label: string }[] {
  return Object.entries(WAYS[typeOf(step)] ?? {}).map(([value, label]) => ({ value, label }));
}

/** The way that is chosen: the one that is stated, or the first. */
export function wayOf(step: StepValue): string | undefined {
  const names = Object.keys(WAYS[typeOf(step)] ?? {});
  return names.find((name) => step[name] !== undefined) ?? names[0];
}

/** The step with another way; what belongs to the others is taken out. */
export function withWay(step: StepValue, way: string): StepValue {
  const others = [...Object.keys(WAYS[typeOf(step)] ?? {}), ...(way === 'selector' ? [] : ABOUT_ELEMENT)];
  const isKept = (name: string): boolean => typeOf(step) === 'fill' && ABOUT_ELEMENT.includes(name);
  const kept = Object.entries(step).filter(([name]) => !others.includes(name) || isKept(name));
  return { ...Object.fromEntries(kept), [way]: FIRST_VALUES[way] ?? '' };
}

/** The fields of a step as it is now: those that it usually needs, and the rare ones. */
export function fieldsOf(step: StepValue): {
  readonly usual: readonly StepField[];
  readonly rare: readonly StepField[];
} {
  const way = wayOf(step);
  const ways = Object.keys(WAYS[typeOf(step)] ?? {});
  const isOff = (name: string): boolean =>
    (ways.includes(name) && name !== way) ||
    (typeOf(step) === 'wait' && ABOUT_ELEMENT.includes(name) && way !== 'selector');
  const fields = Object.entries(KINDS.get(typeOf(step))?.properties ?? {})
    .filter(([name]) => name !== 'type' && name !== 'idle' && !isOff(name))
    .map(([name, schema]) => ({ name, schema }));
  return {
    usual: fields.filter(({ name }) => !RARE.includes(name)).sort(byPlace),
    rare: fields.filter(({ name }) => RARE.includes(name)),
  };
}

/** The element comes first. */
function byPlace(one: StepField, other: StepField): number {
  return Number(other.name === 'selector') - Number(one.name === 'selector');
}

/** The step with a field; nothing takes the field out, except the one that says which way is chosen. */
export function withField(step: StepValue, name: string, value: unknown): StepValue {
  if (value !== undefined && value !== '') return { ...step, [name]: value };
  const { [name]: _, ...others } = step;
  return Object.hasOwn(WAYS[typeOf(step)] ?? {}, name) ? { ...others, [name]: '' } : others;
}

/** The step as another type, with the fields that the other type has as well. */
export function withType(step: StepValue, type: string): StepValue {
  const known = KINDS.get(type)?.properties ?? {};
  const kept = Object.entries(step).filter(([name]) => name !== 'type' && Object.hasOwn(known, name));
  return { type, ...Object.fromEntries(kept) };
}

/** The list with the entry at one place moved to another. */
export function moved<T>(list: readonly T[], from: number, to: number): readonly T[] {
  return list.toSpliced(from, 1).toSpliced(to, 0, ...list.slice(from, from + 1));
}
