import { boundText, isPlainObject } from '@app/kernel';

/** Levels of objects and lists that are kept; no vocabulary needs as many. */
const MAX_DEPTH = 32;
/** Objects, lists and simple values. */
const MAX_VALUES = 20_000;
const MAX_KEY = 200;
/** Characters of all scripts together. */
const MAX_LENGTH = 256_000;

export interface ParsedJsonLd {
  readonly items: readonly Readonly<Record<string, unknown>>[];
  /** Something is missing: it is too long or too deep, or no JSON. */
  readonly isCut: boolean;
}

/** Parses what the JSON-LD scripts of a page hold. A list at the top counts as its objects. */
export function parseJsonLd(scripts: readonly unknown[], maxItems: number): ParsedJsonLd {
  const copy = new BoundedCopy();
  const items: Record<string, unknown>[] = [];
  let left = MAX_LENGTH;
  for (const script of scripts) {
    const length = typeof script === 'string' ? script.length : 0;
    const parsed = typeof script === 'string' && length <= left ? parse(script) : undefined;
    left -= length;
    if (parsed === undefined) copy.isCut = true;
    for (const item of Array.isArray(parsed) ? parsed : [parsed]) {
      if (!isPlainObject(item)) continue;
      const copied = items.length < maxItems ? copy.copyOf(item) : undefined;
      // Null when there are too many values.
      if (isPlainObject(copied)) items.push(copied);
      else copy.isCut = true;
    }
  }
  return { items, isCut: copy.isCut };
}

/** Some pages hide their JSON in a comment, or break lines within its texts. */
function parse(script: string): unknown {
  // oxlint-disable-next-line no-control-regex -- it matches control characters on purpose
  let json = script.replace(/[\0-\x1f]/g, ' ').trim();
  for (const [start, end] of [
    ['//<![CDATA[', '//]]>'],
    ['/*<![CDATA[*/', '/*]]>*/'],
    ['<![CDATA[', ']]>'],
    ['<!--', '-->'],
  ] as const) {
    if (!json.startsWith(start)) continue;
    json = json.slice(start.length, json.endsWith(end) ? -end.length : undefined);
  }
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return undefined;
  }
}

/** Copies values of a page: what comes out can be stored, serialised and walked. */
class BoundedCopy {
  isCut = false;
  private values = 0;

  copyOf(value: unknown, depth = 0): unknown {
    this.values += 1;
    if (typeof value === 'string') return this.text(value);
    if (typeof value !== 'object' || value === null) return value;
    if (depth === MAX_DEPTH || this.values > MAX_VALUES) {
      this.isCut = true;
      return null;
    }
    if (Array.isArray(value)) return this.listed(value).map((each) => this.copyOf(each, depth + 1));
    const copied = this.listed(Object.entries(value)).flatMap(([key, each]) => {
      // It would change the prototype of whatever it is assigned to.
      const isKept = key !== '__proto__' && key.length <= MAX_KEY;
      if (!isKept) this.isCut = true;
      return isKept ? [[boundText('content', key), this.copyOf(each, depth + 1)] as const] : [];
    });
    return Object.fromEntries(copied);
  }

  private text(value: string): string {
    const text = boundText('content', value);
    if (text.length < value.length) this.isCut = true;
    return text;
  }

  private listed<T>(list: readonly T[]): readonly T[] {
    const left = Math.max(0, MAX_VALUES - this.values);
    if (list.length > left) this.isCut = true;
    return list.slice(0, left);
  }
}

/** The things that the page itself is about: what stands at the top of its JSON-LD, or in a graph there. */
export function topEntities(items: ParsedJsonLd['items']): Readonly<Record<string, unknown>>[] {
  return items.flatMap((item) => {
    const graph = item['@graph'];
    return [item, ...(Array.isArray(graph) ? graph.filter(isPlainObject) : [])];
  });
}

/** The names of a person or organisation, or of several. */
export function namesOf(value: unknown): string[] {
  const all: readonly unknown[] = Array.isArray(value) ? value : [value];
  return all
    .map((each) => (isPlainObject(each) ? each.name : each))
    .filter(
      (name): name is string => typeof name === 'string' && name.trim() !== '' && !/^https?:/.test(name),
    )
    .map((name) => name.trim());
}
