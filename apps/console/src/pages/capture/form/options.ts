import {
  OPTION_CATALOGUE,
  OPTION_FAMILIES,
  type CatalogueOption,
  type Device,
} from '@capture-service/client';

/** Options of a request by name: only those that are stated. */
export type Values = Readonly<Record<string, unknown>>;

/** Options by name, in the order of the documentation. */
export const OPTIONS: ReadonlyMap<string, CatalogueOption> = new Map(
  OPTION_CATALOGUE.map((option) => [option.name, option]),
);

/** The options with a place of their own above the families. */
export const TARGET_NAMES: readonly string[] = ['url', 'html', 'base_url'];
/** What people change most stands at the top as well, in this order. */
export const FIRST_NAMES: readonly string[] = ['format', 'full_page', 'clean', 'device'];
const PLACED: readonly string[] = [...TARGET_NAMES, ...FIRST_NAMES];

export interface Family {
  readonly name: string;
  readonly description: string;
  readonly options: readonly CatalogueOption[];
}

/** The families of the form with their options. */
export const FAMILIES: readonly Family[] = OPTION_FAMILIES.map((family) => ({
  ...family,
  options: OPTION_CATALOGUE.filter(({ family: of, name }) => of === family.name && !PLACED.includes(name)),
})).filter(({ options }) => options.length > 0);

/** The name of a family without spaces, which ids of elements cannot have. */
export function slugOf({ name }: Pick<Family, 'name'>): string {
  return name.replaceAll(' ', '-');
}

const DEFAULTS_TO = /Defaults to `(\w+)`/;

/**
 * What applies without the option. Some options default to another one, as their descriptions say, and those of the
 * window to the device, which is unknown until the devices are.
 */
export function defaultOf(option: CatalogueOption, values: Values, devices?: readonly Device[]): unknown {
  const [, other] = DEFAULTS_TO.exec(option.description) ?? [];
  if (other !== undefined) return values[other] ?? OPTIONS.get(other)?.default ?? option.default;
  if (typeof values.device !== 'string' || option.family !== 'viewport') return option.default;
  const device = devices?.find(({ id }) => id === values.device);
  return device?.[option.name as keyof Device];
}

/** The formats of all files of a request. */
export function formatsOf({
  format = OPTIONS.get('format')?.default,
  outputs,
}: Values): ReadonlySet<unknown> {
  if (!Array.isArray(outputs) || outputs.length === 0) return new Set([format]);
  return new Set(outputs.map((output: { format?: unknown } | null) => output?.format ?? format));
}

export function applies({ formats }: CatalogueOption, to: ReadonlySet<unknown>): boolean {
  return formats === undefined || formats.some((format) => to.has(format));
}

/** Whether the value of an option must not be shown. */
export function isSecret(option: CatalogueOption | undefined): boolean {
  return option?.exposure === 'secret';
}

export function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** The options whose name or description contains every word. */
export function matches({ name, description }: CatalogueOption, search: string): boolean {
  const text = `${name} ${name.replaceAll('_', ' ')} ${description}`.toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** The description without its default, which the form shows by itself. */
export function helpOf({ description }: CatalogueOption): string {
  return description.replace(/ Default: `[^`]*`\.$/, '');
}
