/**
 * JSON that can stand in a text of another language which knows no escapes: the signs that would end that text, or mean
 * something in it, are written as escapes of JSON.
 */
export function jsonWithout(value: unknown, signs: RegExp): string {
  // All of them can only occur in strings.
  return JSON.stringify(value, null, 2).replace(
    signs,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** A text in single quotes of a shell. */
export function shellText(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** A text in double quotes, which TypeScript, Python and Go read in the same way. */
export function quoted(text: string): string {
  return JSON.stringify(text);
}

/** A text in single quotes of PHP. */
export function phpText(text: string): string {
  return `'${text.replace(/[\\']/g, String.raw`\$&`)}'`;
}

interface Syntax {
  readonly atom: (value: string | number | boolean | null) => string;
  readonly key: (name: string) => string;
  readonly indent: string;
}

const isPlain = (value: unknown): value is string | number | boolean | null =>
  typeof value !== 'object' || value === null;

/** A value as the literal of a language with lists in brackets and objects in braces. */
export function literal(value: unknown, syntax: Syntax, depth = 0): string {
  if (isPlain(value)) return syntax.atom(value);
  const parts = Array.isArray(value)
    ? value.map((each) => literal(each, syntax, depth + 1))
    : Object.entries(value as object).map(
        ([name, each]) => `${syntax.key(name)}: ${literal(each, syntax, depth + 1)}`,
      );
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  if (parts.length === 0) return `${open}${close}`;
  const inner = syntax.indent.repeat(depth + 1);
  return `${open}\n${parts.map((part) => `${inner}${part},\n`).join('')}${syntax.indent.repeat(depth)}${close}`;
}

/** `__proto__` is the name of a property only when it is computed. */
const scriptKey = (name: string): string => {
  if (name === '__proto__') return '["__proto__"]';
  return /^[A-Za-z_]\w*$/.test(name) ? name : quoted(name);
};

export function scriptLiteral(value: unknown): string {
  return literal(value, { atom: (atom) => JSON.stringify(atom), key: scriptKey, indent: '  ' });
}

export function pythonLiteral(value: unknown): string {
  const atom = (each: unknown): string => {
    if (each === null) return 'None';
    if (typeof each === 'boolean') return each ? 'True' : 'False';
    return JSON.stringify(each);
  };
  return literal(value, { atom, key: quoted, indent: '    ' });
}
