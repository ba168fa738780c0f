import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { CaptureRecord } from '../captures/capture.response.js';
import { JobRecord } from '../jobs/job.response.js';
import { readBuildInfo } from '../version/build-info.js';
import { components } from './components.js';
import { EXAMPLES } from './examples.js';
import { problemResponses } from './problems.docs.js';

const DESCRIPTION = `Turns web pages into pictures and PDFs.

Send your key as \`Authorization: Bearer <key>\` or \`X-API-Key: <key>\`. Every error is a problem document
(RFC 9457); [the errors](/docs/errors) are explained one by one. Every response carries \`X-Request-Id\`.

\`\`\`sh
curl -X POST http://localhost:3000/v1/capture \\
  -H "Authorization: Bearer $KEY" -H "Content-Type: application/json" \\
  -d '{"url":"https://example.com"}' -o page.png
\`\`\``;

const REQUEST_ID = { description: 'Quote it when you report a fault.', schema: { type: 'string' } };

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;
type Responses = Record<string, { headers?: object }>;

/** The OpenAPI document of the app; the app needs neither to be started nor to have a database. */
export function buildOpenApi(app: INestApplication): OpenAPIObject {
  const config = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Capture Service')
    .setDescription(DESCRIPTION)
    .setVersion(readBuildInfo(import.meta.dirname).version)
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .addTag('Captures', 'Capture pages, and look back on what was captured.')
    .addTag('Jobs', 'Captures that go on without the caller.')
    .addTag('Service', 'Usage, devices, health and version.')
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'An API key, `cap_…`.' }, 'bearer')
    .addApiKey({ type: 'apiKey', in: 'header', name: 'X-API-Key' }, 'header')
    .build();
  const document = SwaggerModule.createDocument(app, config, { extraModels: [CaptureRecord, JobRecord] });
  const schemas: Record<string, object> = document.components?.schemas ?? {};
  Object.assign(schemas, components());
  for (const [name, example] of Object.entries(EXAMPLES)) Object.assign(schemas[name] ?? {}, { example });
  for (const { path, operation } of operationsOf(document)) complete(path, operation);
  return document;
}

function operationsOf({ paths }: OpenAPIObject): { path: string; operation: Operation }[] {
  return Object.entries(paths).flatMap(([path, { get, post }]) =>
    [get, post].flatMap((operation) => (operation ? [{ path, operation }] : [])),
  );
}

const PUBLIC_PATHS = ['/v1/health', '/v1/version'];

/** What holds for every operation, so that none can forget it. */
function complete(path: string, operation: Operation): void {
  const isPublic = PUBLIC_PATHS.includes(path);
  operation.security = isPublic ? [] : [{ bearer: [] }, { header: [] }];
  const responses = operation.responses as Responses;
  const shared = isPublic ? ['internal' as const] : (['unauthorized', 'internal', 'unavailable'] as const);
  for (const { status, ...response } of problemResponses(shared)) responses[String(status)] ??= response;
  for (const response of Object.values(responses)) {
    response.headers = { 'X-Request-Id': REQUEST_ID, ...response.headers };
  }
}
