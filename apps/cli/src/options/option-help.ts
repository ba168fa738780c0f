import {
  FORMAT_CATALOGUE,
  OPTION_CATALOGUE,
  OPTION_FAMILIES,
  type CatalogueOption,
} from '@capture-service/client';
import { flagOf } from './flag-names.js';

const NAMES: ReadonlySet<string> = new Set(OPTION_CATALOGUE.map(({ name }) => name));

/** The heading of a family of options. */
export const familyHeading = (family: string): string => `Options of ${family}:`;

/** All headings of families. */
export const FAMILY_HEADINGS: ReadonlySet<string> = new Set(
  OPTION_FAMILIES.map(({ name }) => familyHeading(name)),
);

/** The first sentence on an option, with its default and the formats it is for. */
export function helpOf(option: CatalogueOption): string {
  const { description, formats } = option;
  const [first = description] = /^.*?[.:](?= [A-Z`]|$)/s.exec(description) ?? [];
  return [inFlags(first), ...notesOf(option), formats ? `(${formatsText(formats)})` : '']
    .filter((part) => part !== '')
    .join(' ');
}

const PICTURES: readonly string[] = FORMAT_CATALOGUE.filter(({ kind }) => kind === 'picture').map(
  ({ name }) => name,
);

function formatsText(formats: readonly string[]): string {
  const others = formats.filter((format) => !PICTURES.includes(format));
  const hasAll = formats.length - others.length === PICTURES.length;
  return (hasAll ? ['pictures', ...others] : formats).join(', ');
}

/** Everything that is known of an option. */
export function longHelpOf(option: CatalogueOption): string {
  const { description, exposure, formats } = option;
  return [
    inFlags(description.replace(/ Default: `[^`]*`\.$/, '')),
    ...notesOf(option),
    formats ? `Only for ${formats.join(', ')}.` : '',
    exposure === 'secret' ? 'It is secret: it is stored encrypted and never shown again.' : '',
  ]
    .filter((part) => part !== '')
    .join(' ');
}

/** A short text on an option with its choices and its default. */
export function shortHelpOf({ default: value, schema }: CatalogueOption, text: string): string {
  const choices = schema.enum ? `: ${schema.enum.join(', ')}` : '';
  const isShown = typeof value === 'string' || (typeof value === 'number' && value !== 0);
  return `${text}${choices}${isShown ? ` (default: ${value})` : ''}`;
}

function notesOf({ default: value, schema }: CatalogueOption): string[] {
  const isShown = value !== undefined && value !== false && typeof value !== 'object';
  const choices = schema.enum ?? schema.items?.enum;
  return [
    ...(choices ? [`One of ${choices.join(', ')}.`] : []),
    ...(isShown ? [`Default: ${JSON.stringify(value)}.`] : []),
  ];
}

/** Replaces the names of options in a text for people by their flags, and leaves out Markdown. */
export function inFlags(text: string): string {
  return text.replace(/`([^`]*)`/g, (_, code: string) => (NAMES.has(code) ? flagOf(code) : `'${code}'`));
}

/** Replaces names of options in a fault of the service, where they are not marked: a name of one word may be just a word. */
export function namedAsFlags(text: string): string {
  return text.replace(/\b[a-z]+(?:_[a-z]+)+\b|(?<=\bneeds )[a-z]+\b/g, (word) =>
    NAMES.has(word) ? flagOf(word) : word,
  );
}
