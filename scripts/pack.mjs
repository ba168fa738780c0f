/**
 * `npm run pack`: builds the packages that are published into dist/packages, with their declarations, and packs each as
 * `npm publish` would. Prints the sizes.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { minify } from '@swc/core';
import { root } from '../apps/launcher/src/data-folder.mjs';
import { report, say } from '../apps/launcher/src/output.mjs';
import { provide } from '../apps/launcher/src/packages.mjs';
import { run, tied } from '../apps/launcher/src/processes.mjs';
import { handOver, isNode24 } from '../apps/launcher/src/runtime.mjs';

const PACKED = path.join(root, 'dist/packages');
const COMPILER = path.join(root, 'node_modules/typescript-native/bin/tsc');

/** The client first: the others are compiled against its declarations, as their users do. */
const SOURCES = { client: 'libs/client', cli: 'apps/cli' };

/** What every package contains besides its own files. */
const COMMON_FILES = ['LICENSE', 'CHANGELOG.md'];

/** The newest syntax that Node 20 and the browsers of the last years know. */
const COMPILER_OPTIONS = {
  target: 'ES2022',
  lib: ['ES2024', 'DOM', 'DOM.Iterable', 'ESNext.Disposable'],
  module: 'nodenext',
  moduleResolution: 'nodenext',
  strict: true,
  noUncheckedIndexedAccess: true,
  esModuleInterop: true,
  skipLibCheck: true,
  types: ['node'],
};

await provide('everything');
if (isNode24()) await packAll();
else await handOver([fileURLToPath(import.meta.url)]);

async function packAll() {
  try {
    rmSync(PACKED, { recursive: true, force: true });
    for (const [name, source] of Object.entries(SOURCES)) {
      await compile(name, source);
      say(await pack(name));
    }
    say(await browserSize());
  } catch (error) {
    report(error);
    process.exitCode = 1;
  }
}

async function compile(name, source) {
  const folder = path.join(PACKED, name);
  mkdirSync(folder, { recursive: true });
  const settings = path.join(PACKED, `tsconfig.${name}.json`);
  writeFileSync(settings, JSON.stringify(settingsOf(name, source)));
  await execute(`The package ${name} could not be compiled`, process.execPath, [COMPILER, '-p', settings]);
  for (const file of COMMON_FILES) cpSync(path.join(root, file), path.join(folder, file));
  for (const file of ['package.json', 'README.md']) {
    cpSync(path.join(root, source, file), path.join(folder, file));
  }
}

function settingsOf(name, source) {
  const folder = path.join(root, source, 'src');
  const paths = name === 'client' ? {} : { '@capture-service/client': ['./client/dist/index.d.ts'] };
  return {
    compilerOptions: {
      ...COMPILER_OPTIONS,
      declaration: name === 'client',
      typeRoots: [path.join(root, 'node_modules/@types')],
      rootDir: folder,
      outDir: `./${name}/dist`,
      paths,
    },
    include: [`${folder}/**/*.ts`],
    exclude: [`${folder}/**/*.spec.ts`, `${folder}/**/*.int-spec.ts`],
  };
}

/** Packs a package; returns a line about its size. */
async function pack(name) {
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', PACKED, path.join(PACKED, name)];
  const output = await execute(`The package ${name} could not be packed`, 'npm', args);
  // npm 12 answers with an object by name, earlier ones with a list.
  const parsed = JSON.parse(output);
  const [facts] = Array.isArray(parsed) ? parsed : Object.values(parsed);
  const { filename, size, unpackedSize, files } = facts;
  return `${path.relative(root, path.join(PACKED, filename))}  ${kB(size)} packed, ${kB(unpackedSize)} in ${files.length} files`;
}

/** What a page loads: all modules of the client, minified and compressed; a bundler drops the catalogue if it is not used. */
async function browserSize() {
  const folder = path.join(PACKED, 'client/dist');
  const modules = readdirSync(folder, { recursive: true }).filter((file) => file.endsWith('.js'));
  const catalogue = modules.filter((file) => file.endsWith('option-catalogue.js'));
  const others = modules.filter((file) => !catalogue.includes(file));
  const sizeOf = async (files) => {
    const texts = files.map((file) => readFileSync(path.join(folder, file), 'utf8'));
    const small = await Promise.all(texts.map((text) => minify(text, { module: true, mangle: true })));
    return gzipSync(small.map(({ code }) => code).join('\n')).length;
  };
  return `client in a browser, minified and gzipped: ${kB(await sizeOf(others))}, and ${kB(await sizeOf(catalogue))} for the catalogue of options`;
}

async function execute(failure, command, args) {
  const { code, stdout, stderr } = await run(tied(command, args), { cwd: root });
  if (code !== 0) throw new Error(`${failure}.\n${stdout}${stderr}`);
  return stdout;
}

function kB(bytes) {
  return `${(bytes / 1_000).toFixed(1)} kB`;
}
