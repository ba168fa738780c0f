import { createReadStream, createWriteStream, rmSync } from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress } from 'node:zlib';
import { provideFetched } from './fetched-package.mjs';
import { unpackTar } from './tar.mjs';

export const CHROMIUM = '@sparticuz/chromium';

/** The archives of the package, with the folder of each: SwiftShader lies beside the program, NSS where a machine lacks it. */
const ARCHIVES = { 'bin/swiftshader.tar.br': '', 'bin/al2023.tar.br': 'al2023' };
const PROGRAM = 'bin/chromium.br';

/**
 * Fetches the Chromium of npm into a folder, unpacked. The package itself would unpack NSS on the machines of Amazon only.
 *
 * @param {string} into
 */
export function provideChromium(into) {
  const files = new Set(['LICENSE', PROGRAM, ...Object.keys(ARCHIVES)]);
  return provideFetched({ name: CHROMIUM, into, needs: (file) => files.has(file), finish: unpackArchives });
}

/** @param {string} folder */
async function unpackArchives(folder) {
  /** @param {string} file */
  const compressed = (file) => createReadStream(path.join(folder, file));
  for (const [file, place] of Object.entries(ARCHIVES)) {
    /** @type {(name: string) => string} */
    const targetOf = (name) => path.join(folder, place, path.normalize(`/${name}`));
    await pipeline(compressed(file), createBrotliDecompress(), (archive) => unpackTar(archive, targetOf));
  }
  const program = createWriteStream(path.join(folder, 'chromium'), { mode: 0o755 });
  await pipeline(compressed(PROGRAM), createBrotliDecompress(), program);
  rmSync(path.join(folder, 'bin'), { recursive: true });
}
