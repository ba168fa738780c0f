/** A family of options, as docs/options.md groups them. */
export interface CatalogueFamily {
  readonly name: string;
  readonly description: string;
}

/** One format of files. */
export interface CatalogueFormat<Name extends string = string> {
  readonly name: Name;
  /** The name for people. */
  readonly label: string;
  /** What a file is: a picture of the page, the page as it is printed, its markup, or its text. */
  readonly kind: 'picture' | 'print' | 'markup' | 'text';
  readonly mediaType: string;
  /** The extension of file names, without a dot. */
  readonly extension: string;
  /** Other extensions of such files. */
  readonly otherExtensions: readonly string[];
  /** Whether the file shows the page less exactly than it was drawn. */
  readonly isLossy: boolean;
  /** Whether compressing a file again would only cost time. */
  readonly isCompressed: boolean;
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
  /** The kinds of objects, whose property `type` names the kind. */
  readonly oneOf?: readonly CatalogueSchema[];
  readonly const?: string;
  readonly title?: string;
  readonly default?: unknown;
  readonly example?: unknown;
  readonly description?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<
    Record<string, CatalogueSchema & { readonly description?: string; readonly example?: unknown }>
  >;
  readonly additionalProperties?: boolean | CatalogueSchema;
}
