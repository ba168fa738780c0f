/** A family of options, as docs/options.md groups them. */
export interface CatalogueFamily {
  readonly name: string;
  readonly description: string;
}

/** One option of a capture as the API document describes it. */
export interface CatalogueOption {
  readonly name: string;
  readonly family: string;
  /** What the option does, in Markdown. */
  readonly description: string;
  /** What applies without the option. */
  readonly default?: unknown;
  /** The formats to which the option applies. Without it, all of them. */
  readonly formats?: readonly string[];
  /** Who may set it: docs/options.md has the rules. The value of a `secret` must not be shown or logged. */
  readonly exposure: 'public' | 'style' | 'own' | 'answer' | 'script' | 'secret';
  readonly example?: unknown;
  /** The rule of the value, as JSON Schema (2020-12). */
  readonly schema: CatalogueSchema;
}

/** The part of JSON Schema that the options use. */
export interface CatalogueSchema {
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object';
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly maxItems?: number;
  readonly minItems?: number;
  readonly items?: CatalogueSchema;
  readonly properties?: Readonly<
    Record<string, CatalogueSchema & { readonly description?: string; readonly example?: unknown }>
  >;
  readonly additionalProperties?: boolean | CatalogueSchema;
}
