import { StartupError } from '@app/kernel';

/**
 * Reads `name=value,name=value`, the format of OpenTelemetry's variables; values may be percent-encoded.
 *
 * @throws StartupError that names the variable and does not repeat its value, which may be a secret
 */
export function readPairs(variable: string, text: string): Record<string, string> {
  const pairs = text.split(',').filter((pair) => pair.trim() !== '');
  return Object.fromEntries(
    pairs.map((pair, i) => {
      const read = readPair(pair);
      if (!read) throw new StartupError(`${variable}: pair ${i + 1} is not of the form name=value.`);
      return read;
    }),
  );
}

function readPair(pair: string): readonly [string, string] | null {
  const [, name, value] = /^\s*([!#$%&'*+.^_`|~\w-]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? [];
  if (name === undefined || value === undefined) return null;
  try {
    return [name, decodeURIComponent(value)];
  } catch {
    return null;
  }
}
