import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { COMPILED_VERSION, type CompiledFilters, type Part, PARTS } from '../rules/compile-filters.js';

interface Header {
  readonly version: string;
  readonly key: string;
  readonly bytes: Readonly<Record<Part, number>>;
  readonly rules: CompiledFilters['rules'];
  readonly disabled: readonly number[];
}

/**
 * Writes compiled lists into one file: a line of JSON, and the engines.
 *
 * @param key identifies what they were compiled from
 */
export async function writeCompiled(file: string, key: string, compiled: CompiledFilters): Promise<void> {
  const { parts, rules, disabled } = compiled;
  const bytes = Object.fromEntries(PARTS.map((part) => [part, parts[part].byteLength])) as Header['bytes'];
  const header: Header = { version: COMPILED_VERSION, key, bytes, rules, disabled };
  await writeWhole(
    file,
    Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), ...PARTS.map((part) => parts[part])]),
  );
}

/** Reads compiled lists. Resolves to undefined when there are none, or they were compiled from or by something else. */
export async function readCompiled(file: string, key: string): Promise<CompiledFilters | undefined> {
  const content = await readFile(file).catch(() => undefined);
  const end = content?.indexOf('\n') ?? -1;
  if (content === undefined || end === -1) return undefined;
  const header = JSON.parse(content.toString('utf8', 0, end)) as Header;
  if (header.version !== COMPILED_VERSION || header.key !== key) return undefined;
  let from = end + 1;
  const read = (part: Part): Uint8Array => {
    // A copy, because the engine reads words of four bytes, which begin at a multiple of four.
    const bytes = new Uint8Array(content.subarray(from, from + header.bytes[part]));
    from += header.bytes[part];
    return bytes;
  };
  const parts = Object.fromEntries(PARTS.map((part) => [part, read(part)])) as CompiledFilters['parts'];
  return { parts, rules: header.rules, disabled: header.disabled };
}

/** Replaces a file as a whole: a reader sees the old content or the new one, and so does the next start after a crash. */
export async function writeWhole(file: string, content: string | Uint8Array): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const temporary = `${file}.${randomUUID()}.tmp`;
  try {
    await writeFile(temporary, content);
    await rename(temporary, file);
  } finally {
    await rm(temporary, { force: true });
  }
}
