import { StartupError } from '@app/kernel';

/**
 * Reads `name=value,name=value`; values may be percent-encoded (OpenTelemetry Protocol Exporter, `OTEL_EXPORTER_OTLP_HEADERS`).
 *
 * @throws StartupError that does not repeat the value, which is a secret
 */
export function readHeaders(text: string): Record<string, string> {
  const pairs = text.split(',').filter((pair) => pair.trim() !== '');
  return Object.fromEntries(pairs.map((pair, i) => readPair(pair, i + 1)));
}

function readPair(pair: string, number: number): [string, string] {
  const [, name, value] = /^\s*([!#$%&'*+.^_`|~\w-]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? [];
  try {
    if (name !== undefined && value !== undefined) return [name, decodeURIComponent(value)];
  } catch {
    // Falls through to the message.
  }
  throw new StartupError(`OTEL_EXPORTER_OTLP_HEADERS: pair ${number} is not of the form name=value.`);
}
