import {
  Injectable,
  SetMetadata,
  type CanActivate,
  type CustomDecorator,
  type ExecutionContext,
} from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { invalidRequest } from '@app/kernel';
import type { Request } from 'express';

const MAX_FAULTS = 20;
/** A hostile name must not be echoed in full. */
const MAX_NAME = 100;

const READS_RAW_QUERY = 'reads raw query';

/** The routes read the query as it was sent, so that nothing may parse it before. */
export const ReadsRawQuery = (): CustomDecorator => SetMetadata(READS_RAW_QUERY, true);

/**
 * Refuses query parameters on a route that has none: if they were ignored, they would look as if they worked. A route with
 * `@Query()` refuses unknown ones itself.
 */
@Injectable()
export class QueryGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    if (Reflect.getMetadata(READS_RAW_QUERY, context.getClass()) === true) return true;
    const { query, path } = context.switchToHttp().getRequest<Request>();
    const names = Object.keys(query);
    if (names.length === 0 || !path.startsWith('/v1/') || readsQuery(context)) return true;
    throw invalidRequest(
      names.slice(0, MAX_FAULTS).map((name) => ({
        pointer: `/${name.slice(0, MAX_NAME)}`,
        code: 'unknown_field',
        detail: 'is not a parameter of this route, which has no query parameters',
      })),
    );
  }
}

function readsQuery(context: ExecutionContext): boolean {
  const args = Reflect.getMetadata(ROUTE_ARGS_METADATA, context.getClass(), context.getHandler().name) as
    | Record<string, unknown>
    | undefined;
  return Object.keys(args ?? {}).some((key) => key.startsWith(`${RouteParamtypes.QUERY}:`));
}
