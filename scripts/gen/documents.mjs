import { renderConfiguration, renderEnvExample } from './configuration.mjs';
import { renderKnownDevices } from './devices.mjs';
import { renderErrors } from './errors.mjs';
import { renderSchema } from './schema.mjs';

/** The built front door of a library: what is documented is what runs. */
const built = (library) => import(new URL(`../../dist/libs/${library}/src/index.js`, import.meta.url).href);

/** Generated files that are sources themselves: to be in place before the build. */
export function renderSources() {
  return { 'libs/capture/src/devices/known-devices.ts': renderKnownDevices() };
}

/** Generated files that tell of the built code, by their path in the repository. */
export async function renderDocuments() {
  const [config, kernel, capture, database] = await Promise.all(
    ['config', 'kernel', 'capture', 'database'].map(built),
  );
  const variables = kernel.fieldsOf(config.Env);
  const defaults = new config.Env();
  return {
    '.env.example': renderEnvExample(variables, defaults),
    'docs/configuration.md': renderConfiguration(variables, defaults),
    'docs/errors.md': renderErrors(kernel.ERRORS),
    'docs/options.md': `${capture.renderOptionsDoc()}\n${capture.renderDevicePresets()}`,
    'libs/database/schema.sql': await renderSchema(database),
  };
}
