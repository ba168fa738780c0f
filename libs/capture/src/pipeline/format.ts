import { fieldsOf, type AnyClass } from '@app/kernel';
import type { FileFacts } from '../record/facts.js';
import type { CaptureArea, PageSize } from './capture-area.js';
import type { Visit } from './family.js';

/** What the engine gives a format besides the page and the options. */
export interface RenderContext {
  /** Size of the page as it is now; measured while the format renders. */
  readonly page: Promise<PageSize>;
  /** Maximum size of the file. The engine checks the result; a format checks earlier where it can. */
  readonly maxBytes: number;
}

export interface Rendered {
  readonly bytes: Uint8Array;
  /** What the record says about the file; absent facts keep their defaults. */
  readonly facts?: Partial<FileFacts>;
  /** The part of the page that a picture shows. */
  readonly area?: CaptureArea;
  /**
   * Makes the file, or several when the picture is cut into slices, when `bytes` are a PNG of what the page shows and not the file
   * yet. Takes the facts of the picture, and returns those of the files. It runs once, after all renderings that `stable`
   * compares, and needs no page.
   */
  readonly finish?: (facts: FileFacts) => Promise<FinishedFiles>;
}

/** At least one. */
export type FinishedFiles = readonly [FinishedFile, ...FinishedFile[]];

export interface FinishedFile {
  readonly bytes: Uint8Array;
  readonly facts: FileFacts;
}

/** Turns the settled page into a file. Runs again when the page navigates in the meantime. */
export type Render<Options> = (visit: Visit, options: Options, context: RenderContext) => Promise<Rendered>;

/**
 * What a file is: a `picture` of the page, the page as it is `print`ed, its `markup`, or its `text`. The browser draws the page for
 * the first two. Printing changes its layout for a while.
 */
export type FileKind = 'picture' | 'print' | 'markup' | 'text';

/** What a file is compared as. Files of one kind can be compared with each other. */
export type ComparedKind = 'picture' | 'text' | 'markdown';

/**
 * A kind of file that a capture can produce. Options, validation, routes, documentation and the catalogue of the clients read it
 * from here.
 */
export interface FormatDefinition<Name extends string, Options> {
  readonly name: Name;
  /** The name for people. */
  readonly label: string;
  readonly kind: FileKind;
  /** What the file holds, for the documentation. */
  readonly doc: string;
  /** The `Content-Type` that the file is served with. */
  readonly contentType: string;
  /** The extension of file names, and others that a caller's file name may have instead. */
  readonly extension: string;
  readonly otherExtensions?: readonly string[];
  /** `attachment` where a browser must not display the file: it holds content of the page that could act on our origin. */
  readonly disposition: 'inline' | 'attachment';
  /** Whether the file shows the page less exactly than it was drawn. */
  readonly isLossy: boolean;
  /** The `quality` of a lossy picture for which none is stated. */
  readonly defaultQuality?: number;
  /** Whether compressing a file again would only cost time. */
  readonly isCompressed: boolean;
  /** Whether language models take the file as a picture. */
  readonly isSeenByModels: boolean;
  /** What a file is compared as; null when it cannot be compared. */
  readonly comparedAs: ComparedKind | null;
  /**
   * Options that have a meaning for this format. An option that at least one format lists is refused for the formats
   * that do not list it; an option that none lists has a meaning for all of them.
   */
  readonly options: readonly string[];
  readonly render: Render<Options>;
}

export function defineFormat<const Name extends string, Options>(
  format: FormatDefinition<Name, Options>,
): FormatDefinition<Name, Options> {
  return format;
}

/** The names of all options of a class, for the `options` of a format. */
export function optionsOf(type: AnyClass, { except = [] }: { except?: readonly string[] } = {}): string[] {
  return fieldsOf(type)
    .map(({ name }) => name)
    .filter((name) => !except.includes(name));
}
