/** Longer than any regular line: an error with its stack and the stacks of its causes takes a few thousand characters. */
const MAX_LINE_LENGTH = 32_768;
/** The limit of one text in a line that is too long. */
const MAX_TEXT_LENGTH = 2_000;

/**
 * Cuts a line of the log that is too long: an error may quote a page, whose texts have no limit. The texts in the line are
 * cut first. A line that is still too long keeps only the plain values of its first level.
 */
export function boundLine(line: string): string {
  if (line.length <= MAX_LINE_LENGTH) return line;
  const short: unknown = JSON.parse(line, (_, value: unknown) =>
    typeof value === 'string' ? cut(value, MAX_TEXT_LENGTH) : value,
  );
  const bounded = `${JSON.stringify(short)}\n`;
  return bounded.length <= MAX_LINE_LENGTH ? bounded : `${JSON.stringify(plainPart(short))}\n`;
}

/** Enough to identify the line: its time, level, message and ids come first. */
const MAX_VALUES = 12;
/** The limits of names and texts in a cut line; JSON takes up to six characters for one. */
const MAX_NAME_LENGTH = 100;
const MAX_VALUE_LENGTH = 300;

function plainPart(line: unknown): object {
  const values = Object.entries(line ?? {})
    .filter(([name, value]) => typeof value !== 'object' && name.length <= MAX_NAME_LENGTH)
    .slice(0, MAX_VALUES)
    .map(
      ([name, value]) => [name, typeof value === 'string' ? cut(value, MAX_VALUE_LENGTH) : value] as const,
    );
  return { ...Object.fromEntries(values), cut: true };
}

function cut(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max).toWellFormed()}…` : text;
}
