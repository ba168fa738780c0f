import type { FormatDefinition } from '../pipeline/format.js';
import { html } from './html.js';
import { markdown } from './markdown.js';
import { mhtml } from './mhtml.js';
import { pdf } from './pdf.js';
import { avif, jpeg, png, webp } from './picture.js';
import { text } from './text.js';

/** All formats, in the order in which the documentation and errors list them. */
const ALL = [png, jpeg, webp, avif, pdf, html, mhtml, text, markdown] as const;

type AnyFormat = FormatDefinition<Format, never>;

type Formats = { readonly [Each in (typeof ALL)[number] as Each['name']]: Each };

/** Every format by its name. */
export const FORMATS = Object.fromEntries(ALL.map((format) => [format.name, format])) as unknown as Formats;

export type Format = keyof Formats;

export const FORMAT_NAMES: Format[] = ALL.map(({ name }) => name);

/** What is known of a format, whichever it is. */
export function aboutFormat(format: Format): Omit<AnyFormat, 'render'> {
  return FORMATS[format];
}

/** Whether the files of a format are pictures. */
export function isPicture(format: Format): boolean {
  return FORMATS[format].kind === 'picture';
}

/** Whether the files of a format are the printed page. */
export function isPrinted(format: Format): boolean {
  return FORMATS[format].kind === 'print';
}

/** The formats for which an option has a meaning; undefined when it has one for all of them. */
export function formatsOf(option: string): readonly Format[] | undefined {
  const formats = ALL.filter(({ options }) => options.includes(option)).map(({ name }) => name);
  return formats.length > 0 ? formats : undefined;
}
