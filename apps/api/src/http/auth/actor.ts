import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Actor } from '@app/audit';
import type { Request } from 'express';
import { callerOf } from './caller.js';

/** Who changes something, for the audit trail. */
export const ChangedBy = createParamDecorator((_: undefined, context: ExecutionContext): Actor =>
  actorOf(context.switchToHttp().getRequest<Request>()),
);

/** The caller of a request. The address is that which Express trusts (TRUSTED_PROXIES). */
export function actorOf(request: Request): Actor {
  const { keyId, keyName, accountId } = callerOf(request);
  return {
    kind: 'key',
    key_id: keyId,
    key_name: keyName,
    account_id: accountId,
    address: request.ip ?? null,
    request_id: request.id as string,
  };
}
