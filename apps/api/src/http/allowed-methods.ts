/** The part of Express' router that is read here. */
export interface Routes {
  readonly stack: readonly {
    readonly route?: { readonly methods: Readonly<Record<string, boolean>> };
    match(path: string): boolean;
  }[];
}

/** The methods that some route takes at this path, for `Allow`; none when there is no route. */
export function allowedMethods({ stack }: Routes, path: string): string[] {
  const methods = stack
    .filter((layer) => layer.route !== undefined && layer.match(path))
    .flatMap(({ route }) => Object.keys(route?.methods ?? {}))
    .map((method) => method.toUpperCase());
  const all = new Set(methods.includes('GET') ? [...methods, 'HEAD'] : methods);
  return [...all].sort();
}
