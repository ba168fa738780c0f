import { existsSync } from 'node:fs';
import path from 'node:path';
import { hasApt, unpackPackages } from '../../apps/launcher/src/apt.mjs';
import { dataFolder } from '../../apps/launcher/src/data-folder.mjs';
import { StartError } from '../../apps/launcher/src/output.mjs';
import { libraryFolders } from '../../apps/launcher/src/redis.mjs';

/** The oldest version on which the service runs (docs/deploy.md); Debian 12 has it. */
export const LOWEST_POSTGRES = '15';

/** The programs of the PostgreSQL on which the specs run; undefined for the one that npm brings. */
export async function postgresOfTests() {
  const version = process.env.TEST_POSTGRES;
  if (!version) return undefined;
  const found = await findPostgres(version);
  if (found) return found;
  throw new StartError(
    `TEST_POSTGRES=${version}: this machine has no PostgreSQL ${version}, and apt brings none.`,
  );
}

/**
 * Finds the PostgreSQL of this version that Debian's package installs, else fetches and unpacks the package without
 * installing it. Resolves to undefined where apt has none.
 */
export async function findPostgres(version) {
  const folder = `usr/lib/postgresql/${version}/bin`;
  const installed = programsIn(path.join('/', folder));
  if (installed) return installed;
  const home = path.join(dataFolder(), 'tools', `postgresql-${version}`);
  if (!existsSync(home) && !(await unpack(`postgresql-${version}`, home))) return undefined;
  const programs = programsIn(path.join(home, folder));
  const libraries = libraryFolders(path.join(home, 'usr/lib')).join(':');
  return programs && { ...programs, env: { LD_LIBRARY_PATH: libraries } };
}

function programsIn(folder) {
  const [postgres, initdb] = ['postgres', 'initdb'].map((name) => path.join(folder, name));
  return existsSync(postgres) && existsSync(initdb)
    ? { postgres, initdb, locale: ['--locale=C.UTF-8'] }
    : undefined;
}

async function unpack(name, into) {
  if (!hasApt()) return false;
  return unpackPackages({ packages: [name], into, withDependencies: true }).then(
    () => true,
    () => false,
  );
}
