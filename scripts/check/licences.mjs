/** Fails when a package that reaches an operator has a licence that is not permitted. */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../../apps/launcher/src/data-folder.mjs';
import { foldersWith, packagesImported, productionPackages, refusedLicences } from './licence-rules.mjs';

const lock = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8'));
// The console is a bundle, which contains what it imports.
const bundled = globSync('apps/console/src/**/*.{ts,tsx}', { cwd: root, exclude: ['**/*spec.ts'] }).flatMap(
  (file) => packagesImported(readFileSync(path.join(root, file), 'utf8')),
);
const packages = productionPackages(
  lock,
  (folder) => JSON.parse(readFileSync(path.join(root, folder, 'package.json'), 'utf8')),
  foldersWith(bundled, lock),
);
const refused = refusedLicences(packages);
for (const { name, licence } of refused) {
  console.log(`${name}: ${licence ?? 'no licence is stated'}`);
}
if (refused.length > 0) {
  console.log(
    'Replace the package, or add its licence to scripts/check/licence-rules.mjs if it permits our use.',
  );
  process.exitCode = 1;
}
