// `node compile.mjs <folder>` compiles the files of TypeScript that stdin names, one a line, into the folder. It runs in a
// process of its own, whose memory ends with it. The settings are those of .swcrc.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { transformFile } from '@swc/core';

const [into = 'dist'] = process.argv.slice(2);
const files = (await text(process.stdin)).split('\n').filter(Boolean);

// SWC works in the threads of Node's pool, so all files are under way at once.
const failures = (await Promise.allSettled(files.map(compile))).filter(({ status }) => status === 'rejected');
for (const failure of failures) process.stderr.write(`${'reason' in failure && failure.reason.message}\n`);
if (failures.length > 0) process.exitCode = 1;

/** @param {string} file */
async function compile(file) {
  const target = path.join(into, file.replace(/\.ts$/, '.js'));
  const sourceFileName = path.relative(path.dirname(path.resolve(target)), path.resolve(file));
  const { code, map } = await transformFile(file, { sourceFileName });
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(target, `${code}\n//# sourceMappingURL=${path.basename(target)}.map`);
  writeFileSync(`${target}.map`, map ?? '');
}
