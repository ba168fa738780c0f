import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam, ApiResponse } from '@nestjs/swagger';
import type { ErrorCode, AnyClass, JsonSchema } from '@app/kernel';
import { REPLAYED } from '../openapi/headers.docs.js';
import { ApiId, ApiIdempotencyKey, ApiQueryOf } from '../openapi/parameters.docs.js';
import { ApiProblems } from '../openapi/problems.docs.js';
import { requestSchemaOf } from '../openapi/request-schemas.js';
import { ref } from '../openapi/schemas.js';
import { ListQuery } from '../http/page.query.js';
import { AccountChangeBody, NewAccountBody, NULLABLE } from './account.fields.js';
import { AccountList, AccountRecord } from './account.response.js';
import { AdminUsageQuery, AuditQuery, KeysQuery } from './admin.query.js';
import { AuditList } from './audit.response.js';
import { KeyChangeBody, NewKeyBody, NULLABLE_LIMITS, RotationBody } from './key.fields.js';
import { KeyList, KeyRecord, NewKeyRecord } from './key.response.js';
import { AccountUsageList } from './usage.response.js';

/** The bodies of requests, by the name of their schema. */
export const ADMIN_REQUESTS = {
  NewAccountRequest: { ...withNulls(requestSchemaOf(NewAccountBody)), required: ['name'] },
  AccountChangeRequest: withNulls(requestSchemaOf(AccountChangeBody)),
  NewKeyRequest: { ...requestSchemaOf(NewKeyBody), required: ['account_id'] },
  KeyChangeRequest: withNulls(requestSchemaOf(KeyChangeBody)),
  KeyRotationRequest: requestSchemaOf(RotationBody),
} as const;

/** Null stands for none where a setting may be none. */
function withNulls(schema: JsonSchema): JsonSchema {
  const properties = Object.entries(schema.properties as Readonly<Record<string, JsonSchema>>);
  return {
    ...schema,
    properties: Object.fromEntries(
      properties.map(([name, { type, ...rules }]) => [
        name,
        [...NULLABLE, ...NULLABLE_LIMITS].some((each) => each === name)
          ? { type: [type, 'null'], ...rules }
          : { type, ...rules },
      ]),
    ),
  };
}

const ApiKeyId = (): MethodDecorator =>
  ApiParam({ name: 'id', description: 'Id of the key.', schema: { type: 'string' } });

interface AdminDocs {
  readonly summary: string;
  readonly description: string;
  readonly operationId: string;
  readonly type: AnyClass;
  readonly status?: number;
  readonly body?: { readonly name: keyof typeof ADMIN_REQUESTS; readonly example: object };
  readonly problems?: readonly ErrorCode[];
  readonly headers?: typeof REPLAYED;
}

/** Documents an operation for operators. */
export const documents = (
  { type, status = 200, body, problems = [], headers, ...operation }: AdminDocs,
  ...more: MethodDecorator[]
): MethodDecorator =>
  applyDecorators(
    ApiOperation(operation),
    ...more,
    ...(body
      ? [
          ApiBody({
            schema: ref(body.name),
            examples: { example: { summary: 'An example', value: body.example } },
          }),
        ]
      : []),
    ApiResponse({ status, type, ...(headers && { headers }) }),
    ApiProblems(...problems),
  );

/** What is made once, however often its request is repeated with the same Idempotency-Key. */
const repeatable = (docs: AdminDocs, ...more: MethodDecorator[]): MethodDecorator =>
  documents(
    {
      ...docs,
      problems: [...(docs.problems ?? []), 'idempotency_in_flight', 'idempotency_mismatch', 'result_expired'],
      headers: REPLAYED,
    },
    ApiIdempotencyKey(),
    ...more,
  );

const WRITES = ['invalid_request', 'payload_too_large', 'unsupported_media_type'] as const;

export const DocumentsAccounts = (): MethodDecorator =>
  documents(
    {
      summary: 'List accounts',
      description: 'All accounts with their settings and their usage, the newest first.',
      operationId: 'listAccounts',
      type: AccountList,
      problems: ['invalid_request'],
    },
    ApiQueryOf(ListQuery),
  );

export const DocumentsNewAccount = (): MethodDecorator =>
  repeatable({
    summary: 'Create an account',
    description:
      'Creates an account without keys. What is left out has the default of `npm run keys -- create`.',
    operationId: 'createAccount',
    type: AccountRecord,
    status: 201,
    body: { name: 'NewAccountRequest', example: { name: 'acme', allowance: 5_000 } },
    problems: [...WRITES, 'target_forbidden'],
  });

export const DocumentsAccount = (): MethodDecorator =>
  documents(
    {
      summary: 'Show an account',
      description: 'The settings, the limits and the usage of an account. One that is deleted is not found.',
      operationId: 'getAccount',
      type: AccountRecord,
      problems: ['not_found'],
    },
    ApiId(),
  );

export const DocumentsAccountChange = (): MethodDecorator =>
  documents(
    {
      summary: 'Change an account',
      description:
        'Changes what the body states, for all keys of the account within 5 seconds. Null removes a limit or the address.',
      operationId: 'changeAccount',
      type: AccountRecord,
      body: { name: 'AccountChangeRequest', example: { concurrency: 20, max_bytes: null } },
      problems: [...WRITES, 'not_found', 'account_state', 'target_forbidden'],
    },
    ApiId(),
  );

export const DocumentsAccountPause = (): MethodDecorator =>
  repeatable(
    {
      summary: 'Pause an account',
      description:
        'Nothing new of the account is accepted (`account_paused`); what was accepted ends. Checks of its monitors are skipped.',
      operationId: 'pauseAccount',
      type: AccountRecord,
      problems: ['not_found', 'account_state'],
    },
    ApiId(),
  );

export const DocumentsAccountResume = (): MethodDecorator =>
  repeatable(
    {
      summary: 'Resume an account',
      description: 'Accepts new work of a paused account again. A repeated request changes nothing.',
      operationId: 'resumeAccount',
      type: AccountRecord,
      problems: ['not_found', 'account_state'],
    },
    ApiId(),
  );

export const DocumentsAccountDeletion = (): MethodDecorator =>
  documents(
    {
      summary: 'Delete an account',
      description: `Revokes the keys of the account at once, and deletes all that it has in the background: captures, files, batches, webhooks,
sessions, monitors, usage and keys. The state is \`deleting\` until the account is not found any more. It cannot be undone.`,
      operationId: 'deleteAccount',
      type: AccountRecord,
      status: 202,
      problems: ['not_found', 'account_state'],
    },
    ApiId(),
  );

export const DocumentsKeys = (): MethodDecorator =>
  documents(
    {
      summary: 'List keys',
      description: 'The keys of all accounts, or of one, without their secrets; the newest first.',
      operationId: 'listKeys',
      type: KeyList,
      problems: ['invalid_request'],
    },
    ApiQueryOf(KeysQuery),
  );

export const DocumentsNewKey = (): MethodDecorator =>
  repeatable({
    summary: 'Create a key',
    description:
      'Creates a key, which only the first answer shows: a request that is repeated with its Idempotency-Key gets `"key": null`. A key with the scope `admin` is made by `npm run keys` only.',
    operationId: 'createKey',
    type: NewKeyRecord,
    status: 201,
    body: {
      name: 'NewKeyRequest',
      example: {
        account_id: '01990b4e-7a52-7c3e-9d3b-8f6f4c1f2a10',
        name: 'shop',
        scopes: ['capture', 'read'],
        allowed_hosts: ['shop.example'],
      },
    },
    problems: [...WRITES, 'not_found', 'account_state', 'admin_key'],
  });

export const DocumentsKey = (): MethodDecorator =>
  documents(
    {
      summary: 'Show a key',
      description: 'What the key may do, and on which day it was used last.',
      operationId: 'getKey',
      type: KeyRecord,
      problems: ['not_found'],
    },
    ApiKeyId(),
  );

export const DocumentsKeyChange = (): MethodDecorator =>
  documents(
    {
      summary: 'Change a key',
      description: `Changes the name and the limits that the body states, within 5 seconds; null removes a limit. Its scopes never change. Captures
and links that were accepted before keep what they had. A key with the scope \`admin\` is not changed over HTTP.`,
      operationId: 'changeKey',
      type: KeyRecord,
      body: { name: 'KeyChangeRequest', example: { expires_at: null, allowed_hosts: ['shop.example'] } },
      problems: [...WRITES, 'not_found', 'admin_key'],
    },
    ApiKeyId(),
  );

export const DocumentsKeyRevocation = (): MethodDecorator =>
  documents(
    {
      summary: 'Revoke a key',
      description:
        'The key, its links and its log-ins stop working within 5 seconds. The last valid key with the scope `admin` is kept.',
      operationId: 'revokeKey',
      type: KeyRecord,
      problems: ['not_found', 'admin_key'],
    },
    ApiKeyId(),
  );

export const DocumentsKeyRotation = (): MethodDecorator =>
  repeatable(
    {
      summary: 'Rotate a key',
      description: `Gives the key another secret, which only the first answer shows: a request that is repeated with its Idempotency-Key gets
\`"key": null\`. The secret before works for \`overlap_s\` longer, an earlier one no more. The id
stays, so that links, limits and the audit trail are not affected.`,
      operationId: 'rotateKey',
      type: NewKeyRecord,
      body: { name: 'KeyRotationRequest', example: { overlap_s: 86_400 } },
      problems: [...WRITES, 'not_found', 'admin_key'],
    },
    ApiKeyId(),
  );

export const DocumentsAdminUsage = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({
      summary: 'Show the usage of accounts by day',
      description: 'For each account what `GET /v1/usage/days` shows to it; the newest account first.',
      operationId: 'getUsageOfAccounts',
    }),
    ApiQueryOf(AdminUsageQuery),
    ApiResponse({
      status: 200,
      content: {
        'application/json': { schema: ref('AccountUsageList') },
        'text/csv': { schema: { type: 'string' } },
      },
    }),
    ApiProblems('invalid_request'),
  );

export const DocumentsAudit = (): MethodDecorator =>
  documents(
    {
      summary: 'List what operators changed',
      description: `Who changed which account, key or worker, or canceled a batch for its account, when and from where, the latest first. It is written with each change, over HTTP and by commands, and
kept for \`AUDIT_TTL_S\`. No request changes it.`,
      operationId: 'listAuditEvents',
      type: AuditList,
      problems: ['invalid_request'],
    },
    ApiQueryOf(AuditQuery),
  );

/** Classes that no decorator above names. */
export const ADMIN_MODELS = [AccountUsageList];
