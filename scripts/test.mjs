// `npm test`: installs what is missing and runs the Jest projects under the pinned Node. Arguments go to Jest, but
// `--only=unit` (or integration, e2e, faults-quick, faults-slow; several with commas), which chooses projects.
import path from 'node:path';
import { install, needsInstall } from './launcher/install.mjs';
import { handOver } from './launcher/node24.mjs';
import { report } from './launcher/output.mjs';
import { root } from './launcher/paths.mjs';

const jest = path.join(root, 'node_modules/jest/bin/jest.js');
// Jest loads ECMAScript modules only with this flag of Node's.
const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];

// All but the faults that take minutes, which `npm run test:faults` adds. Faults are no neighbours: they come one by one,
// after all else.
const USUAL = [['unit,integration,e2e'], ['faults-quick', '--runInBand']];

try {
  process.chdir(root);
  if (needsInstall()) await install();
  await run(process.argv.slice(2));
} catch (error) {
  report(error);
  process.exit(1);
}

async function run(words) {
  const only = words.find((word) => word.startsWith('--only='))?.slice('--only='.length);
  const rest = words.filter((word) => !word.startsWith('--only='));
  let failed = 0;
  for (const [projects, ...options] of runsOf(only, rest)) {
    // Jest takes all words after `--selectProjects` for projects, so it comes last.
    const signal = await handOver([
      ...flags,
      jest,
      ...rest,
      ...options,
      '--selectProjects',
      ...projects.split(','),
    ]);
    failed ||= process.exitCode;
    if (signal !== null) break;
  }
  process.exitCode = failed;
}

function runsOf(only, rest) {
  if (only !== undefined) return [[only]];
  // In the run that a path leads to; the other one would find nothing to do, which Jest takes for a mistake.
  return rest.length === 0 ? USUAL : [['unit,integration,e2e,faults-quick']];
}
