/** During an outage many loops say the same several times a second. */
const PERIOD_MS = 30_000;
const MAX_REMEMBERED = 500;
const WARN = 40;

interface Remembered {
  readonly until: number;
  repeated: number;
}

/**
 * Returns what decides whether a line is written: a warning that says the same as an earlier one is left out for half a
 * minute. The next one that is written has the number of those left out in `repeated`. Lines with more than an error, such
 * as the id of a capture, say something new and are always written.
 */
export function repeatedLines(now: () => number = () => performance.now()) {
  const remembered = new Map<string, Remembered>();
  return (args: unknown[], level: number): 'write' | 'drop' => {
    const key = level === WARN ? keyOf(args) : undefined;
    if (key === undefined) return 'write';
    const known = remembered.get(key);
    if (known && now() < known.until) {
      known.repeated += 1;
      return 'drop';
    }
    if (known && known.repeated > 0) args[0] = { ...Object(args[0]), repeated: known.repeated };
    remembered.delete(key);
    remembered.set(key, { until: now() + PERIOD_MS, repeated: 0 });
    if (remembered.size > MAX_REMEMBERED) remembered.delete(remembered.keys().next().value ?? '');
    return 'write';
  };
}

/** What a line says; undefined for a line that has more than a message, an error and the name of its writer. */
function keyOf([first, text]: readonly unknown[]): string | undefined {
  if (typeof first !== 'object' || first === null) return undefined;
  const { context, err, ...more } = first as Record<string, unknown>;
  if (Object.keys(more).length > 0) return undefined;
  const reason = err instanceof Error ? `${err.name}: ${err.message}` : '';
  return JSON.stringify([context, text, reason]);
}
