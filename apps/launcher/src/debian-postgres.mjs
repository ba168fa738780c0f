import { existsSync } from 'node:fs';
import path from 'node:path';
import { provideTool } from './apt.mjs';
import { dataFolder } from './data-folder.mjs';
import { StartError } from './output.mjs';

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
  const packages = [`postgresql-${version}`];
  const tool = await provideTool({ packages, file: folder, into: home, withDependencies: true });
  const programs = tool && programsIn(tool.path);
  return programs && { ...programs, env: tool.env };
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
