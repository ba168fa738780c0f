import path from 'node:path';
import { hasApt, unpackPackages } from '../../apps/launcher/src/apt.mjs';
import { dataFolder } from '../../apps/launcher/src/data-folder.mjs';
import { MANUAL_PACKAGES, Manuals, manualsIn } from './manual-site.js';

export type { Manuals } from './manual-site.js';

/** Whether this machine has the manuals, or is a Debian or Ubuntu that can fetch them. */
export const canProvideManuals = (): boolean => hasApt() || manualsIn('/').length === MANUAL_PACKAGES.length;

/** Serves the manuals. Their packages are fetched once into the data folder where the system does not have them. */
export async function openManuals(): Promise<Manuals> {
  return Manuals.serve(await provideManuals());
}

async function provideManuals(): Promise<string[]> {
  if (manualsIn('/').length === MANUAL_PACKAGES.length) return manualsIn('/');
  const into = path.join(dataFolder(), 'tools/manuals');
  if (manualsIn(into).length < MANUAL_PACKAGES.length) {
    await unpackPackages({ packages: MANUAL_PACKAGES, into, withDependencies: true });
  }
  const found = manualsIn(into);
  if (found.length === MANUAL_PACKAGES.length) return found;
  throw new Error(`The manuals are missing. Install them: apt install ${MANUAL_PACKAGES.join(' ')}`);
}
