import { fieldsOf, type AnyClass, type FieldSpec } from './field-spec.js';

/**
 * The value a text stands for in a field, by its kind; a text that stands for none is returned as it is, so that
 * validation names the fault. Lists and maps are JSON.
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

/** The values a map of texts (query parameters, environment) stands for; unknown names are kept for validation. */
export function readTexts(type: AnyClass, texts: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const specs = new Map(fieldsOf(type).map((spec) => [spec.name, spec]));
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => {
      const spec = specs.get(name);
      return [name, spec && typeof text === 'string' ? readText(spec, text) : text];
    }),
  );
}
