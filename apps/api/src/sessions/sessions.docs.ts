import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam, ApiResponse } from '@nestjs/swagger';
import { schemaOf, type JsonSchema } from '@app/kernel';
import { locationOf, REPLAYED } from '../openapi/headers.docs.js';
import { ListQuery } from '../http/page.query.js';
import { ApiIdempotencyKey, ApiQueryOf } from '../openapi/parameters.docs.js';
import { ApiProblems, SUBMISSION_ERRORS } from '../openapi/problems.docs.js';
import { requestSchemaOf } from '../openapi/request-schemas.js';
import { every, ref, string } from '../openapi/schemas.js';
import { CheckFields, LogInFields, SessionFields } from './session.request.js';
import { SessionList, SessionRecord } from './session.response.js';

const propertiesOf = (schema: JsonSchema) => schema.properties as Readonly<Record<string, JsonSchema>>;

const STATE = {
  type: 'object',
  description:
    'Instead of `login`, or beside it: the state of a browser in the format of Playwright’s `storageState`, with `indexedDB`. `sessionStorage` of an origin is taken, too.',
  properties: {
    cookies: { type: 'array', items: { type: 'object' } },
    origins: { type: 'array', items: { type: 'object' } },
  },
};

/** The body of `POST /v1/sessions`. */
export const SESSION_REQUEST = {
  type: 'object',
  additionalProperties: false,
  required: ['name', 'origins'],
  description: 'A session needs `login` or `state`.',
  properties: {
    ...propertiesOf(requestSchemaOf(SessionFields)),
    login: {
      ...requestSchemaOf(LogInFields),
      required: ['url'],
      description:
        'How the session logs in, with `actions` or a `recording`, which are those of a capture; `check` adds two steps.',
      properties: {
        ...propertiesOf(requestSchemaOf(LogInFields)),
        actions: { ...propertiesOf(schemaOf(LogInFields)).actions, items: { type: 'object' } },
      },
    },
    check: {
      ...requestSchemaOf(CheckFields),
      required: ['url', 'selector'],
      description:
        'What decides whether the session works: after each log-in, and before the first use after `keep_alive_s`.',
    },
    state: STATE,
  },
};

/** `check` of a record. */
export const SESSION_CHECK = every({
  url: { ...string, example: 'https://shop.example/account' },
  selector: { ...string, example: '.account' },
});

const EXAMPLES = {
  login: {
    summary: 'Log in with a password',
    value: {
      name: 'shop',
      origins: ['https://shop.example'],
      login: {
        url: 'https://shop.example/login',
        actions: [
          { type: 'fill', selector: '#email', value: 'ada@example.com' },
          { type: 'fill', selector: '#password', secret: 'password' },
          { type: 'click', selector: 'text/Sign in' },
          { type: 'wait', selector: '.account' },
        ],
        secrets: { password: 'correct horse' },
      },
      check: { url: 'https://shop.example/account', selector: '.account' },
    },
  },
  state: {
    summary: 'Take the state of a browser',
    value: {
      name: 'shop',
      origins: ['https://shop.example'],
      state: {
        cookies: [
          { name: 'sid', value: 'a1b2', domain: 'shop.example', path: '/', httpOnly: true, secure: true },
        ],
        origins: [],
      },
    },
  },
};

const CREATION = `Makes a session, whose \`name\` or \`id\` captures give as \`session\`. With \`login\` it is \`pending\` until a worker has logged in,
which is a capture that is charged as any other; captures with the session wait for it. With \`state\` it is \`active\` at once.

* The state and the secrets are encrypted, never shown again, and deleted with the session.
* What does not belong to \`origins\` is dropped.`;

const ApiNameOrId = (): MethodDecorator =>
  ApiParam({
    name: 'id',
    description: 'Id or name of the session.',
    schema: { type: 'string', maxLength: 64 },
  });

const ApiSession = (status: number, more: object = {}): MethodDecorator =>
  ApiResponse({ status, type: SessionRecord, ...more });

export const DocumentsCreation = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({ summary: 'Make a session', description: CREATION, operationId: 'createSession' }),
    ApiIdempotencyKey(),
    ApiBody({ schema: ref('SessionRequest'), examples: EXAMPLES }),
    ApiSession(201, { headers: { ...locationOf('The session.'), ...REPLAYED } }),
    ApiProblems(...SUBMISSION_ERRORS, 'session_origin', 'limit_reached', 'unavailable'),
  );

export const DocumentsSessions = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({
      summary: 'List sessions',
      description: 'The sessions of the account that were not deleted, newest first.',
      operationId: 'listSessions',
    }),
    ApiQueryOf(ListQuery),
    ApiResponse({ status: 200, type: SessionList }),
    ApiProblems('invalid_request'),
  );

export const DocumentsSession = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({ summary: 'Show a session', operationId: 'getSession' }),
    ApiNameOrId(),
    ApiSession(200),
    ApiProblems('not_found'),
  );

export const DocumentsEnd = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({
      summary: 'Delete a session',
      description:
        'Its state and its secrets are deleted at once, and its name is free. Captures that run go on; those that begin later fail with `session_not_ready`. Its record can be shown by its id for a while.',
      operationId: 'deleteSession',
    }),
    ApiNameOrId(),
    ApiResponse({ status: 204, description: 'The session is deleted.' }),
    ApiProblems('not_found'),
  );

export const DocumentsLogIn = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({
      summary: 'Log in again',
      description: 'Begins a log-in, also of a session that has failed or expired. One that is open goes on.',
      operationId: 'renewSession',
    }),
    ApiIdempotencyKey(),
    ApiNameOrId(),
    ApiSession(202),
    ApiProblems(
      'not_found',
      'session_not_ready',
      'allowance_exhausted',
      'target_forbidden',
      'secrets_unreadable',
    ),
  );

export const DocumentsPicture = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({
      summary: 'Show what the log-in saw',
      description: 'A picture of the page at the end of the last log-in, with dots in place of its secrets.',
      operationId: 'getSessionPicture',
    }),
    ApiNameOrId(),
    ApiResponse({ status: 200, content: { 'image/png': { schema: { type: 'string', format: 'binary' } } } }),
    ApiProblems('not_found', 'result_expired'),
  );
