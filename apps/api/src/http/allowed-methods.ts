/** The part of Express' router that is read here. */
export interface Routes {
  readonly stack: readonly {
    readonly route?: { readonly path: string; readonly methods: Readonly<Record<string, boolean>> };
    match(path: string): boolean;
  }[];
}

/** Nest mounts middleware as a route for every method there is; a route of ours takes one. */
const MIDDLEWARE_TAKES = 10;

/** The methods that some route takes at this path, for `Allow`; none when there is no route. */
export function allowedMethods({ stack }: Routes, path: string): string[] {
  const methods = stack
    .filter((layer) => layer.match(path))
    .map(({ route }) => Object.keys(route?.methods ?? {}))
    .filter((taken) => taken.length < MIDDLEWARE_TAKES)
    .flat()
    .map((method) => method.toUpperCase());
  const all = new Set(methods.includes('GET') ? [...methods, 'HEAD'] : methods);
  return [...all].sort();
}

/**
 * The methods that a route takes whose path is this one, letter by letter. `/v1/bulk/json` is no id of a batch, although
 * the route `/v1/bulk/:id` matches it.
 */
export function methodsOfLiteral({ stack }: Routes, path: string): string[] {
  const literal = path.toLowerCase().replace(/\/$/, '');
  const layers = stack.filter(({ route }) => route?.path.toLowerCase() === literal);
  return layers.length === 0 ? [] : allowedMethods({ stack: layers }, path);
}
