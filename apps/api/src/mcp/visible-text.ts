/**
 * Characters by which a page could act on the terminal of a user, or say something to a model that a person does not see:
 * controls except tabs and line ends, bidirectional overrides, and tags, variation selectors and spaces without a width.
 * The joiners and the selectors of emoji stay.
 */
const HIDDEN =
  /[^\P{Cc}\n\t]|\u00AD|\u200B|[\u202A-\u202E]|[\u2060-\u2069]|[\uFE00-\uFE0D]|\uFEFF|[\u{E0000}-\u{E01EF}]/gu;

export function visibleText(text: string): string {
  return text.replace(HIDDEN, '');
}

/** The same data with all its texts visible, also the names in it. */
export function visibleData<T>(data: T): T {
  return visible(data) as T;
}

function visible(value: unknown): unknown {
  if (typeof value === 'string') return visibleText(value);
  if (Array.isArray(value)) return value.map(visible);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [visibleText(name), visible(each)]));
}
