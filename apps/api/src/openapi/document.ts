import type { INestApplication } from '@nestjs/common';
import {
  DocumentBuilder,
  SwaggerModule,
  type OpenAPIObject,
  type SwaggerDocumentOptions,
} from '@nestjs/swagger';
import { RATE_HEADERS, REQUEST_ID, RETRY_AFTER } from './headers.docs.js';
import { problemResponses } from './problems.docs.js';
import { eventSchemas, webhooksOf, type EventKinds } from './webhooks.docs.js';

const DESCRIPTION = `Turns web pages into pictures, PDFs, HTML and MHTML files, plain text and Markdown.

Send your key as \`Authorization: Bearer <key>\` or \`X-API-Key: <key>\`. Every error is a problem document
(RFC 9457); see [all errors](/docs/errors). Every response has an \`X-Request-Id\`.

With the address of this server in \`CAPTURE_URL\` and a key in \`CAPTURE_API_KEY\`, this captures a page:

\`\`\`sh
curl --fail-with-body -X POST "$CAPTURE_URL/v1/capture" \\
  -H "Authorization: Bearer $CAPTURE_API_KEY" -H "Content-Type: application/json" \\
  -d '{"url":"https://example.com"}' -o page.png
\`\`\``;

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;

interface Response {
  description?: string;
  headers?: object;
  content?: Record<string, { examples?: object }>;
}
type Responses = Record<string, Response>;

/** What the features contribute to the document besides their routes. */
export interface DocumentParts {
  readonly version: string;
  /** Classes of responses that no route returns directly. */
  readonly models: NonNullable<SwaggerDocumentOptions['extraModels']>;
  /** Schemas that are not classes of responses, by name. */
  readonly schemas: Readonly<Record<string, object>>;
  /** Examples of schemas, by the name of the schema. */
  readonly examples: Readonly<Record<string, object>>;
  readonly events: EventKinds;
}

/** Builds the OpenAPI document of the app, which needs neither to be started nor to have a database. */
export function buildOpenApi(app: INestApplication, parts: DocumentParts): OpenAPIObject {
  const config = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Capture Service')
    .setDescription(DESCRIPTION)
    .setVersion(parts.version)
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .addTag('Captures', 'Capture pages, and read the history of captures.')
    .addTag('Jobs', 'Captures that run without an open connection.')
    .addTag('Bulk', 'Many captures from one JSON or CSV.')
    .addTag('Links', 'Signed links, which pages can show without a key.')
    .addTag('Service', 'Usage, devices, health and version.')
    .addTag('Operators', 'Accounts, keys, usage and the audit trail, for keys with the scope `admin`.')
    .addTag('Webhooks', 'Events that are sent to the endpoints of callers, and their deliveries.')
    .addServer('/', 'The server of this document.')
    .addBearerAuth(
      { type: 'http', scheme: 'bearer', bearerFormat: 'API key', description: 'An API key, `cap_…`.' },
      'bearer',
    )
    .addApiKey({ type: 'apiKey', in: 'header', name: 'X-API-Key' }, 'header')
    .build();
  const document = SwaggerModule.createDocument(app, config, { extraModels: parts.models });
  const schemas: Record<string, object> = document.components?.schemas ?? {};
  Object.assign(schemas, parts.schemas, eventSchemas(parts.events));
  for (const [name, example] of Object.entries(parts.examples)) {
    Object.assign(schemas[name] ?? {}, { example });
  }
  for (const { path, operation } of operationsOf(document)) complete(path, operation);
  return { ...document, webhooks: webhooksOf(parts.events) };
}

function operationsOf({ paths }: OpenAPIObject): { path: string; operation: Operation }[] {
  return Object.entries(paths).flatMap(([path, { get, post, patch, delete: del }]) =>
    [get, post, patch, del].flatMap((operation) => (operation ? [{ path, operation }] : [])),
  );
}

const PUBLIC_PATHS = ['/v1/files/{id}', '/v1/files/{id}/{name}', '/v1/health', '/v1/render', '/v1/version'];

/** The errors of every operation that needs a key. */
const SHARED_ERRORS = [
  'unauthorized',
  'scope_missing',
  'address_forbidden',
  'rate_limited',
  'internal',
  'unavailable',
] as const;

const WITH_RETRY_AFTER = ['429', '503'];

/** Adds what holds for every operation, so that none can forget it. */
function complete(path: string, operation: Operation): void {
  const isPublic = PUBLIC_PATHS.includes(path);
  operation.security = isPublic ? [] : [{ bearer: [] }, { header: [] }];
  const responses = operation.responses as Responses;
  for (const { status, ...response } of problemResponses(isPublic ? ['internal'] : SHARED_ERRORS)) {
    const own = responses[String(status)];
    responses[String(status)] = own ? merge(own, response) : response;
  }
  for (const [status, response] of Object.entries(responses)) {
    response.headers = {
      ...REQUEST_ID,
      // Without a valid key there is no account whose rate could be shown.
      ...(!isPublic && status !== '401' && RATE_HEADERS),
      ...(WITH_RETRY_AFTER.includes(status) && RETRY_AFTER),
      ...response.headers,
    };
  }
}

/** Merges a response of the operation itself with the shared response of the same status. */
function merge(own: Response, shared: Response): Response {
  const content = { ...own.content };
  for (const [type, { examples, ...body }] of Object.entries(shared.content ?? {})) {
    content[type] = { ...body, ...content[type], examples: { ...content[type]?.examples, ...examples } };
  }
  // An error that both name is explained once.
  const added = shared.description?.split('\n\n').filter((text) => !own.description?.includes(text)) ?? [];
  return { ...own, description: [own.description, ...added].join('\n\n'), content };
}
