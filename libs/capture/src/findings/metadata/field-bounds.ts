import { boundText, MAX_TEXT } from '@app/kernel';
import { NOWHERE } from '../../options/target.js';
import { PAGE_LISTS, type PageMetadata } from '../../record/page-metadata.js';

/** Items of each list. */
export const MAX_ITEMS = 1_000;

/** Bytes of each list as JSON. With the other fields, all of it has less than 640 kB. */
const MAX_BYTES = {
  open_graph: 16_000,
  twitter: 16_000,
  icons: 16_000,
  feeds: 16_000,
  json_ld: 128_000,
  headings: 64_000,
  links: 192_000,
  images: 128_000,
  fonts: 8_000,
} as const satisfies Partial<Record<keyof PageMetadata, number>>;

export type Field = Exclude<keyof PageMetadata, 'truncated'>;

/** The fields in the order of the record. */
export const FIELDS = [
  'title',
  'description',
  'lang',
  'canonical',
  'robots',
  'author',
  'published',
  'open_graph',
  'twitter',
  ...PAGE_LISTS,
  'words',
  'more_links',
] as const satisfies readonly Field[];

const WEB: ReadonlySet<string> = new Set(['http:', 'https:']);
const NOWHERE_ORIGIN = new URL(NOWHERE).origin;

/** A URL of the web, as opposed to those of other schemes and of an `html` target that has no place. */
export function isOnWeb({ protocol, origin }: URL): boolean {
  return WEB.has(protocol) && origin !== NOWHERE_ORIGIN;
}

/** What a URL of these schemes leads to is code or content of the page itself. */
const NO_LINKS: ReadonlySet<string> = new Set(
  ['javascript', 'vbscript', 'data', 'blob', 'about', 'file', 'filesystem'].map((name) => `${name}:`),
);

/** A URL that a visitor can follow, such as of the web or of an e-mail. */
export function isLink({ protocol, origin }: URL): boolean {
  return !NO_LINKS.has(protocol) && origin !== NOWHERE_ORIGIN;
}

/** The bounds of texts, URLs and lists, and the names of the fields that are incomplete because of them. */
export class FieldBounds {
  private readonly cut = new Set<unknown>();

  get truncated(): Field[] {
    return FIELDS.filter((field) => this.cut.has(field));
  }

  note(field: unknown): void {
    this.cut.add(field);
  }

  /** A text within its limit; null when there is none. */
  text(field: Field, value: unknown): string | null {
    if (typeof value !== 'string' || value === '') return null;
    if (value.length > MAX_TEXT.content) this.note(field);
    return boundText('content', value);
  }

  /** The address, or null: one that is cut would lead elsewhere. */
  url(field: Field, { href }: URL): string | null {
    if (href.length <= MAX_TEXT.content) return href;
    this.note(field);
    return null;
  }

  /** The address of a picture, or the media type of its `data:` URL; null for anything else. */
  picture(field: Field, value: string): string | null {
    const [data] = /^data:[\w.+/;=-]{0,100},/i.exec(value) ?? [];
    if (data !== undefined) return `${data}…`;
    const url = URL.parse(value);
    return url && isOnWeb(url) ? this.url(field, url) : null;
  }

  /** The items that fit. */
  list<T>(field: keyof typeof MAX_BYTES, items: readonly T[]): T[] {
    let left: number = MAX_BYTES[field];
    const kept: T[] = [];
    for (const item of items) {
      const bytes = Buffer.byteLength(JSON.stringify(item)) + 1;
      if (bytes > left || kept.length === MAX_ITEMS) {
        this.note(field);
        continue;
      }
      left -= bytes;
      kept.push(item);
    }
    return kept;
  }
}
