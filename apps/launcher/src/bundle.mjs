// `node bundle.mjs <folder>` bundles the built applications into the folder, for a start that loads some hundred modules
// instead of 3,000. It runs in a process of its own, whose memory ends with it.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { rolldown } from 'rolldown';

/** @import { OutputChunk, Plugin } from 'rolldown' */

const [into = 'dist/bundles'] = process.argv.slice(2).map((folder) => path.resolve(folder));
const DIST = path.resolve('dist');

/**
 * Packages that stay outside: those with a program or a thread of their own, and those that Nest or TypeORM also load by name,
 * whose classes and settings must not exist twice. S3 is loaded only where it is set.
 */
const OUTSIDE =
  /^(reflect-metadata|typeorm|pg|class-validator|class-transformer|pino|pino-pretty|thread-stream|sharp|odiff-bin|@aws-sdk\/.*)$/;

/** @type {Plugin} */
const ourModules = {
  name: 'our-modules',
  /** Files that a module finds beside itself are still there; and the traces of errors name lines of TypeScript. */
  load(id) {
    const code = readFileSync(id, 'utf8');
    // Nobody reads the traces of packages by lines: without their maps a start is faster.
    if (!id.startsWith(DIST + path.sep)) return { code, map: { mappings: '' } };
    const place = path.relative(into, id).split(path.sep).join('/');
    const map = existsSync(`${id}.map`) ? readFileSync(`${id}.map`, 'utf8') : undefined;
    return { code: placed(code, place), ...(map !== undefined && { map }) };
  },
};

/**
 * A module whose `import.meta` is still that of its own file.
 *
 * @param {string} code
 * @param {string} place its path from the bundle
 */
function placed(code, place) {
  if (!/import\.meta\.(url|dirname)/.test(code)) return code;
  const url = `new URL(${JSON.stringify(place)}, import.meta.url)`;
  return code.replace(/import\.meta\.(url|dirname)/g, (_, name) =>
    name === 'url'
      ? `${url}.href`
      : `process.getBuiltinModule('node:url').fileURLToPath(new URL('.', ${url}))`,
  );
}

/** @param {OutputChunk} chunk */
function dropMap({ fileName, code }) {
  writeFileSync(path.join(into, fileName), code.replace(/\n\/\/# sourceMappingURL=.*\n?$/, '\n'));
  rmSync(path.join(into, `${fileName}.map`), { force: true });
}

const bundle = await rolldown({
  input: Object.fromEntries(
    ['api', 'worker'].map((name) => [name, path.join(DIST, 'apps', name, 'src/main.js')]),
  ),
  platform: 'node',
  external: (id) => OUTSIDE.test(id),
  plugins: [ourModules],
  // Packages try optional ones that are not there.
  logLevel: 'silent',
});
const { output } = await bundle.write({
  dir: into,
  format: 'esm',
  sourcemap: true,
  // Nest names providers by their classes.
  keepNames: true,
  // Before the decorators of the chunks, which an entry loads first.
  banner: "import 'reflect-metadata';",
  entryFileNames: '[name].js',
  chunkFileNames: 'chunk-[hash].js',
});
// Node reads the map of each chunk when it loads it, which is in vain where no line is ours.
for (const chunk of output)
  if (chunk.type === 'chunk' && !chunk.moduleIds.some((id) => id.startsWith(DIST))) dropMap(chunk);
await bundle.close();
