import { renderConfiguration, renderEnvExample } from './configuration.mjs';
import { renderErrors } from './errors.mjs';
import { renderSchema } from './schema.mjs';

/** The built front door of a library: what is documented is what runs. */
const built = (library) => import(new URL(`../../dist/libs/${library}/src/index.js`, import.meta.url).href);

/** Every generated file, by its path in the repository. */
export async function renderAll() {
  const [config, kernel, database] = await Promise.all(['config', 'kernel', 'database'].map(built));
  const variables = kernel.fieldsOf(config.Env);
  const defaults = new config.Env();
  return {
    '.env.example': renderEnvExample(variables, defaults),
    'docs/configuration.md': renderConfiguration(variables, defaults),
    'docs/errors.md': renderErrors(kernel.ERRORS),
    'libs/database/schema.sql': await renderSchema(database),
  };
}
