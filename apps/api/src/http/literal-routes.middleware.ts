import { AppError } from '@app/kernel';
import type { NextFunction, Request, Response } from 'express';
import { methodsOfLiteral, type Routes } from './allowed-methods.js';

/** Refuses a method that the route of exactly this path does not take, before a route with an id in its place does. */
export function literalRoutes(request: Request, response: Response, next: NextFunction): void {
  const { router } = request.app as unknown as { readonly router: Routes };
  const allowed = methodsOfLiteral(router, request.path);
  if (allowed.length === 0 || allowed.includes(request.method)) next();
  else next(methodNotAllowed(allowed, response));
}

export function methodNotAllowed(allowed: readonly string[], response: Response): AppError {
  response.setHeader('Allow', allowed.join(', '));
  return new AppError('method_not_allowed', { detail: `The route takes ${allowed.join(', ')}.` });
}
