// Lets Node load the TypeScript of this repository: finds the source of a `.js`, and compiles it as the build does.
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { transformSync } from '@swc/core';
import { root } from '../../apps/launcher/src/data-folder.mjs';

const CACHE = path.join(root, 'node_modules/.cache/specs');
const GLOBALS = new URL('./globals.mjs', import.meta.url).href;
const SETTINGS = readFileSync(path.join(root, '.swcrc'), 'utf8');
const LIBRARIES = Object.entries(JSON.parse(SETTINGS).jsc.paths);

/** The file of the source map of each module, by its path and by its URL. */
export const sourceMaps = new Map();

export function loadTypeScript() {
  mkdirSync(CACHE, { recursive: true });
  registerHooks({ resolve, load });
}

function resolve(specifier, context, next) {
  if (specifier === '@jest/globals') return { url: GLOBALS, shortCircuit: true };
  const source = sourceOf(specifier, context.parentURL);
  if (source !== undefined && existsSync(source))
    return { url: source.href, format: 'module', shortCircuit: true };
  return next(specifier, context);
}

function sourceOf(specifier, from) {
  if (/^\.{1,2}\/.*\.js$/.test(specifier)) return new URL(specifier.replace(/js$/, 'ts'), from);
  // SWC writes relative paths into what it compiles, which specs in JavaScript are not.
  for (const [name, [place]] of LIBRARIES) {
    const [begin, isPrefix] = [name.replace('*', ''), name.endsWith('*')];
    if (
      specifier === name ||
      (isPrefix && specifier.startsWith(begin) && !specifier.includes('/', begin.length))
    )
      return pathToFileURL(path.join(root, place.replace('*', specifier.slice(begin.length))));
  }
  return undefined;
}

function load(url, context, next) {
  const [address] = url.split('?');
  if (!address.endsWith('.ts')) return next(url, context);
  return { format: 'module', source: compiled(url, fileURLToPath(address)), shortCircuit: true };
}

function compiled(url, file) {
  const code = readFileSync(file, 'utf8');
  const key = createHash('sha256').update([SETTINGS, file, code].join('\0')).digest('hex').slice(0, 32);
  const [output, map] = ['js', 'map'].map((extension) => path.join(CACHE, `${key}.${extension}`));
  sourceMaps.set(file, map).set(url, map);
  if (existsSync(output)) return readFileSync(output, 'utf8');
  const made = transformSync(code, { filename: file, cwd: root });
  save(map, made.map ?? '');
  save(output, made.code);
  return made.code;
}

/** Several processes may compile the same file: none of them may read a part of it. */
function save(file, text) {
  const draft = `${file}.${randomUUID()}`;
  writeFileSync(draft, text);
  renameSync(draft, file);
}
