import {
  createParamDecorator,
  SetMetadata,
  type CustomDecorator,
  type ExecutionContext,
} from '@nestjs/common';
import type { Caller } from '@app/auth';
import type { Request } from 'express';

declare module 'http' {
  interface IncomingMessage {
    /** Set by ApiKeyGuard; absent on public routes. */
    caller?: Caller;
  }
}

export const PUBLIC = 'public';

/** The route needs no key. */
export const Public = (): CustomDecorator => SetMetadata(PUBLIC, true);

/** The account whose key the request carries. */
export const AccountId = createParamDecorator(
  (_: undefined, context: ExecutionContext): string =>
    callerOf(context.switchToHttp().getRequest<Request>()).accountId,
);

/** The sender of the request. */
export const Sender = createParamDecorator((_: undefined, context: ExecutionContext): Caller =>
  callerOf(context.switchToHttp().getRequest<Request>()),
);

/** The key that the request carries, and its account. */
export function callerOf({ caller }: Request): Caller {
  if (!caller) throw new Error('A public route has no account');
  return caller;
}
