/** The facts of the generated documents. They are read from the build, so that the documents describe what runs. */
import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Env } from '@app/config';
import { ApiModule } from '../../apps/api/src/api.module.js';
import { API_DOCS } from '../../apps/api/src/api.docs.js';
import { buildOpenApi } from '../../apps/api/src/openapi/document.js';

export { renderDevicePresets, renderOptionsDoc, storageScript } from '@app/capture';
export { Env } from '@app/config';
export { migrate } from '@app/database';
export { ERRORS, fieldsOf } from '@app/kernel';
export { API_METRICS, QUEUE_LOAD } from '../../apps/api/src/metrics/api-metrics.js';
export { WORKER_METRICS } from '../../apps/worker/src/metrics/worker-metrics.js';

/**
 * docs/openapi.json: what the API serves at /docs/openapi.json.
 *
 * @throws an Error when the document is not valid OpenAPI
 */
export async function renderOpenApi(): Promise<string> {
  // A preview registers every route and creates no provider, so it needs neither a database nor a queue.
  const app = await NestFactory.create(ApiModule.forEnvironment(new Env()), {
    preview: true,
    logger: false,
    abortOnError: false,
  });
  const text = JSON.stringify(buildOpenApi(app, API_DOCS), null, 2);
  const { valid, errors } = await new Validator().validate(text);
  if (!valid) throw new Error(`The OpenAPI document is not valid: ${JSON.stringify(errors, null, 2)}`);
  return `${text}\n`;
}
