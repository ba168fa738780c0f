import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { use } from './globals.mjs';
import { loadTypeScript, sourceMaps } from './typescript.mjs';

// A dependency of jest-config, not of this package.
const jest = createRequire(import.meta.resolve('jest'));
const core = createRequire(jest.resolve('@jest/core'));
const circus = createRequire(core.resolve('jest-config')).resolve('jest-circus/runner');
const require = createRequire(circus);
const { default: runSpec } = require(circus);

/** Where jest-circus keeps the listeners to its events. */
const HANDLERS = Symbol.for('EVENT_HANDLERS');

loadTypeScript();
let specs = 0;

/**
 * Runs a spec for Jest, as jest-circus does, except that Node loads its modules, and those of all specs of a process once.
 * Jest would load and compile the thousands of modules of Nest, TypeORM and Puppeteer again for each spec, and run them cold,
 * which takes more than half of the CPU time of most specs. See docs/adr/0029-node-loads-the-modules-of-specs.md.
 */
export default async function run(globalConfig, projectConfig, environment, runtime, testPath, send) {
  runtime.requireInternalModule = loadAgain;
  runtime.unstable_shouldLoadAsEsm = () => true;
  runtime.unstable_importModule = async (file) => {
    use(runtime.jestGlobals.cjsGlobals(file));
    const spec = await import(`${pathToFileURL(file).href}?${++specs}`);
    for (const [source, map] of sourceMaps) runtime.getSourceMaps().set(source, map);
    return spec;
  };
  const variables = { ...process.env };
  try {
    return await runSpec(globalConfig, projectConfig, environment, runtime, testPath, send);
  } finally {
    restore(variables);
  }
}

/** Loads jest-circus without the tests of the last spec. */
function loadAgain(file) {
  delete globalThis[HANDLERS];
  delete require.cache[file];
  return require(file);
}

function restore(variables) {
  for (const name of Object.keys(process.env)) if (!(name in variables)) delete process.env[name];
  Object.assign(process.env, variables);
}
