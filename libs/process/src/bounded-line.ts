/** More than any line of ours: an error with its stack and the stacks of its causes takes a few thousand. */
const MAX_LINE_LENGTH = 32_768;
/** Of one text in a line that is too long. */
const MAX_TEXT_LENGTH = 2_000;

/**
 * A line of the log as it is written, cut when it is too long: an error may quote a page, which says as much as it likes.
 * The texts in it are cut first; what then still is too long keeps only the plain values of its first level.
 */
export function boundLine(line: string): string {
  if (line.length <= MAX_LINE_LENGTH) return line;
  const short: unknown = JSON.parse(line, (_, value: unknown) =>
    typeof value === 'string' ? cut(value, MAX_TEXT_LENGTH) : value,
  );
  const bounded = `${JSON.stringify(short)}\n`;
  return bounded.length <= MAX_LINE_LENGTH ? bounded : `${JSON.stringify(plainPart(short))}\n`;
}

/** Enough to find the line by: its time, level, message and ids are among the first. */
const MAX_VALUES = 12;
/** The longest name or text in a cut line; JSON takes up to six characters for one. */
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
