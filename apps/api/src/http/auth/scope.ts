import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';
import type { Scope } from '@app/auth';

export const SCOPE = 'scope';
/** Names the scope of a route in the OpenAPI document. */
export const SCOPE_EXTENSION = 'x-scope';

/** The scope that a route needs; `any` for a route that is for every key. */
export type RouteScope = Scope | 'any';

/** Says which scope of its key a request needs. Every route has it, or is `@Public()`: the guard refuses the others. */
export const NeedsScope = (scope: RouteScope): MethodDecorator & ClassDecorator =>
  applyDecorators(SetMetadata(SCOPE, scope), ApiExtension(SCOPE_EXTENSION, scope) as MethodDecorator);
