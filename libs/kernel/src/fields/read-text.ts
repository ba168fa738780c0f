import { fieldsOf, type AnyClass, type FieldSpec } from './field-spec.js';

/**
 * Converts a text to a value of a field, by its kind. A text that is none is returned as it is, so that validation
 * reports it. Lists and maps are JSON.
 */
export function readText(spec: FieldSpec, text: string): unknown {
  switch (spec.kind) {
    case 'flag':
      return text === 'true' ? true : text === 'false' ? false : text;
    case 'whole':
    case 'decimal':
      return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
    case 'list':
    case 'map':
      try {
        return JSON.parse(text) as unknown;
      } catch {
        return text;
      }
    case 'choice':
    case 'text':
      return text;
    default:
      return spec.kind satisfies never;
  }
}

/** Converts a map of texts (query parameters, environment); unknown names are kept, so that validation reports them. */
export function readTexts(type: AnyClass, texts: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const specs = new Map(fieldsOf(type).map((spec) => [spec.name, spec]));
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => {
      const spec = specs.get(name);
      return [name, spec && typeof text === 'string' ? readText(spec, text) : text];
    }),
  );
}
