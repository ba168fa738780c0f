// `npm test`: installs what is missing and runs the Jest projects under the pinned Node. Arguments go to Jest, but
// `--only=unit` (or integration, e2e; several with commas), which chooses projects.
import path from 'node:path';
import { install, needsInstall } from './launcher/install.mjs';
import { handOver } from './launcher/node24.mjs';
import { report } from './launcher/output.mjs';
import { root } from './launcher/paths.mjs';

const jest = path.join(root, 'node_modules/jest/bin/jest.js');
// Jest loads ECMAScript modules only with this flag of Node's.
const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];

try {
  process.chdir(root);
  if (needsInstall()) await install();
  await handOver([...flags, jest, ...jestArguments(process.argv.slice(2))]);
} catch (error) {
  report(error);
  process.exit(1);
}

// Jest takes all words after `--selectProjects` for projects, so it comes last.
function jestArguments(words) {
  const only = words.find((word) => word.startsWith('--only='))?.slice('--only='.length);
  const rest = words.filter((word) => !word.startsWith('--only='));
  return only ? [...rest, '--selectProjects', ...only.split(',')] : rest;
}
