import { OPTION_CATALOGUE } from '@capture-service/client';
import leven from 'leven';

export const OPTION_NAMES: readonly string[] = OPTION_CATALOGUE.map(({ name }) => name);
const KNOWN = new Set(OPTION_NAMES);

/** What columns of spreadsheets are called, by option. */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  url: ['link', 'address', 'website', 'web_site', 'page', 'uri', 'href', 'page_url', 'target'],
  reference: ['id', 'name', 'label', 'key', 'ref', 'tag', 'title'],
  viewport_width: ['width'],
  viewport_height: ['height'],
};

/** All names by which options are known. */
const MEANT: readonly (readonly [option: string, name: string])[] = [
  ...OPTION_NAMES.map((name) => [name, name] as const),
  ...Object.entries(SYNONYMS).flatMap(([option, names]) => names.map((name) => [option, name] as const)),
];

/** Shorter names are those of too many things. */
const SHORT = 5;
/** Two letters that are swapped count as two. */
const MIN_TOLERANCE = 2;
const LETTERS_PER_ERROR = 4;

export function isOption(name: string): boolean {
  return KNOWN.has(name);
}

/** The option that a column with an unknown name probably stands for. */
export function proposedOption(column: string): string | undefined {
  const name = column
    .trim()
    .toLowerCase()
    .replaceAll(/[\s.-]+/g, '_');
  if (name === '') return undefined;
  if (KNOWN.has(name)) return name;
  const [nearest] = MEANT.map(([option, text]) => ({ option, distance: leven(name, text) })).sort(
    (one, other) => one.distance - other.distance,
  );
  return nearest && nearest.distance <= tolerance(name) ? nearest.option : undefined;
}

/** How many letters of a name may differ from the option that is meant. */
function tolerance({ length }: string): number {
  return length < SHORT ? 0 : Math.max(MIN_TOLERANCE, Math.floor(length / LETTERS_PER_ERROR));
}

/** The proposals for all columns that stand for nothing yet. No option is proposed twice. */
export function proposals(
  columns: readonly string[],
  names: readonly (string | null)[],
): (string | undefined)[] {
  const taken = new Set(names.filter((name) => name !== null && isOption(name)));
  return columns.map((column, i) => {
    const name = names[i];
    if (name == null || isOption(name)) return undefined;
    const proposed = proposedOption(column);
    if (proposed === undefined || taken.has(proposed)) return undefined;
    taken.add(proposed);
    return proposed;
  });
}
