import { AppError } from '@app/kernel';
import type { Response } from 'express';

/** The part of Express' router that is read here. */
export interface Routes {
  readonly stack: readonly {
    readonly route?: { readonly path: string; readonly methods: Readonly<Record<string, boolean>> };
    match(path: string): boolean;
  }[];
}

/** Nest mounts middleware as a route that takes every method; a route of ours takes one. */
const MIDDLEWARE_METHODS = 10;

/** The methods that some route takes at this path, for `Allow`; none when there is no route. */
export function allowedMethods({ stack }: Routes, path: string): string[] {
  const methods = stack
    .filter((layer) => layer.match(path))
    .map(({ route }) => Object.keys(route?.methods ?? {}))
    .filter((ofRoute) => ofRoute.length < MIDDLEWARE_METHODS)
    .flat()
    .map((method) => method.toUpperCase());
  const all = new Set(methods.includes('GET') ? [...methods, 'HEAD'] : methods);
  return [...all].sort();
}

/**
 * The methods of the routes whose path is literally this one. `/v1/bulk/json` is not the id of a batch, although the route
 * `/v1/bulk/:id` matches it.
 */
export function methodsOfLiteral({ stack }: Routes, path: string): string[] {
  const layers = stack.filter(({ route }) => route?.path === path);
  return layers.length === 0 ? [] : allowedMethods({ stack: layers }, path);
}

/** The error for a method that no route takes at this path; sets the `Allow` header (RFC 9110, 15.5.6). */
export function methodNotAllowed(allowed: readonly string[], response: Response): AppError {
  response.setHeader('Allow', allowed.join(', '));
  return new AppError('method_not_allowed', { detail: `The route takes ${allowed.join(', ')}.` });
}
