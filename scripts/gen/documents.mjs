import { renderConfiguration, renderEnvExample } from './configuration.mjs';
import { renderKnownDevices } from './devices.mjs';
import { renderErrors } from './errors.mjs';
import { renderMetrics } from './metrics.mjs';
import { renderSchema } from './schema.mjs';

/** Generated files that are sources themselves: to be in place before the build. */
export function renderSources() {
  return { 'libs/capture/src/devices/known-devices.ts': renderKnownDevices() };
}

/** Generated files that tell of the built code, by their path in the repository. */
export async function renderDocuments() {
  const facts = await import('../../dist/scripts/gen/facts.js');
  const variables = facts.fieldsOf(facts.Env);
  const defaults = new facts.Env();
  return {
    '.env.example': renderEnvExample(variables, defaults),
    'docs/configuration.md': renderConfiguration(variables, defaults),
    'docs/errors.md': renderErrors(facts.ERRORS),
    'docs/metrics.md': renderMetrics({ api: facts.API_METRICS, worker: facts.WORKER_METRICS }),
    'docs/options.md': `${facts.renderOptionsDoc()}\n${facts.renderDevicePresets()}`,
    'docs/openapi.json': await facts.renderOpenApi(),
    'libs/database/schema.sql': await renderSchema(facts.migrate),
  };
}
