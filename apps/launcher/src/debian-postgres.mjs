import { existsSync } from 'node:fs';
import path from 'node:path';
import { hasApt, unpackPackages } from './apt.mjs';
import { dataFolder } from './data-folder.mjs';
import { StartError } from './output.mjs';
import { libraryFolders } from './redis.mjs';

/** @import { Binaries } from './postgres-data.mjs' */

/**
 * The programs of the PostgreSQL that TEST_POSTGRES asks for; undefined for the one that npm brings.
 *
 * @throws StartError where there is none of that version
 */
export async function postgresOfTests() {
  const version = process.env.TEST_POSTGRES;
  if (!version) return undefined;
  const found = await findDebianPostgres(version);
  if (found) return found;
  throw new StartError(
    `TEST_POSTGRES=${version}: this machine has no PostgreSQL ${version}, and apt brings none.`,
  );
}

/**
 * Finds the PostgreSQL of this version that Debian's package installs, else fetches and unpacks the package without
 * installing it. Resolves to undefined where apt has none.
 *
 * @param {string} version
 * @returns {Promise<Binaries | undefined>}
 */
export async function findDebianPostgres(version) {
  const folder = `usr/lib/postgresql/${version}/bin`;
  const installed = programsIn(path.join('/', folder));
  if (installed) return installed;
  const home = path.join(dataFolder(), 'tools', `postgresql-${version}`);
  if (!existsSync(home) && !(await unpack(`postgresql-${version}`, home))) return undefined;
  const programs = programsIn(path.join(home, folder));
  const libraries = libraryFolders(path.join(home, 'usr/lib')).join(':');
  return programs && { ...programs, env: { LD_LIBRARY_PATH: libraries } };
}

/**
 * @param {string} folder
 * @returns {Binaries | undefined}
 */
function programsIn(folder) {
  const programs = { postgres: path.join(folder, 'postgres'), initdb: path.join(folder, 'initdb') };
  if (!Object.values(programs).every((program) => existsSync(program))) return undefined;
  return { ...programs, locale: ['--locale=C.UTF-8'] };
}

/**
 * @param {string} name
 * @param {string} into
 */
async function unpack(name, into) {
  if (!hasApt()) return false;
  return unpackPackages({ packages: [name], into, withDependencies: true }).then(
    () => true,
    () => false,
  );
}
