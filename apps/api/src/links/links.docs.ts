import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiResponse } from '@nestjs/swagger';
import { CaptureOptions } from '@app/capture';
import type { JsonSchema } from '@app/kernel';
import { ApiIdempotencyKey } from '../openapi/parameters.docs.js';
import { ApiProblems } from '../openapi/problems.docs.js';
import { requestSchemaOf } from '../openapi/request-schemas.js';
import { ref } from '../openapi/schemas.js';
import { LINK_OPTIONS, LinkFields } from './link-options.js';
import { LinkRequest } from './link.request.js';
import { SignedLink } from './link.response.js';

const DESCRIPTION = `Makes a link of these options that an \`<img>\` can show (\`GET /v1/render\`), signed by the secret of the key of the request.

* The options are validated as the link itself validates them.
* Nothing is captured, charged or stored. A repeated request makes another link to the same capture, so that an
  \`Idempotency-Key\` changes nothing.
* The link begins with PUBLIC_URL if the operator has set it, and otherwise with the scheme and the host of this request.`;

const propertiesOf = (schema: JsonSchema) => schema.properties as Readonly<Record<string, JsonSchema>>;
const OPTIONS = propertiesOf(requestSchemaOf(CaptureOptions));

/** The body of `POST /v1/links`. */
export const LINK_REQUEST = {
  type: 'object',
  additionalProperties: false,
  description: 'The options of the capture, `on_error` and `expires_in_s`. `url` is required.',
  properties: {
    ...Object.fromEntries(LINK_OPTIONS.map(({ name }) => [name, OPTIONS[name]])),
    on_error: propertiesOf(requestSchemaOf(LinkFields)).on_error,
    ...propertiesOf(requestSchemaOf(LinkRequest)),
  },
};

const EXAMPLES = {
  thumbnail: {
    summary: 'A small picture of a page, for a year',
    value: {
      url: 'https://example.com/',
      format: 'webp',
      image_width: 400,
      on_error: 'image',
      expires_in_s: 31_536_000,
    },
  },
};

export const DocumentsLink = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({ summary: 'Sign a link', description: DESCRIPTION, operationId: 'signLink' }),
    ApiIdempotencyKey(),
    ApiBody({ schema: ref('LinkRequest'), examples: EXAMPLES }),
    ApiResponse({ status: 200, type: SignedLink }),
    ApiProblems('invalid_request', 'target_forbidden', 'payload_too_large', 'unsupported_media_type'),
  );
