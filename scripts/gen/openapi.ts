import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Env } from '@app/config';
import { API_DOCS } from '../../apps/api/src/api.docs.js';
import { ApiModule } from '../../apps/api/src/api.module.js';
import { buildOpenApi } from '../../apps/api/src/openapi/document.js';

/** docs/openapi.json: what the API serves at /docs/openapi.json; an invalid document is refused. */
export async function renderOpenApi(): Promise<string> {
  // A preview knows every route and makes no provider: no database and no queue are needed.
  const app = await NestFactory.create(ApiModule.of(new Env()), {
    preview: true,
    logger: false,
    abortOnError: false,
  });
  const text = JSON.stringify(buildOpenApi(app, API_DOCS), null, 2);
  const { valid, errors } = await new Validator().validate(text);
  if (!valid) throw new Error(`The OpenAPI document is not valid: ${JSON.stringify(errors, null, 2)}`);
  return `${text}\n`;
}
