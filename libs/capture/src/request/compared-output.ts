import { aboutFormat, type Format } from '../formats/index.js';
import type { CaptureOptions } from './capture-options.js';
import type { ComparedKind } from '../pipeline/format.js';
import { isSliced } from '../options/slicing.js';
import { resolveViewport } from '../options/viewport.js';
import type { ResolvedOutput } from './resolved-outputs.js';
import { outputsOf } from './parse-options.js';

/** The kind of the files of a format; null for formats whose files cannot be compared. */
export function comparedKindOf(format: Format): ComparedKind | null {
  return aboutFormat(format).comparedAs;
}

/** The output of a capture that `compare_with` is about. */
export interface ComparedOutput {
  readonly name: string;
  readonly format: Format;
  readonly kind: ComparedKind;
  /** Device px per CSS px of a picture. */
  readonly density: number;
}

/** The outputs that can be compared, in their order; `compare_with` is about the first of them. */
export function comparableOutputs(options: CaptureOptions): ComparedOutput[] {
  return outputsOf(options).flatMap((output) => toCompared(output) ?? []);
}

function toCompared({ name, options }: ResolvedOutput): ComparedOutput | undefined {
  const { format } = options;
  const kind = isSliced(options) ? null : comparedKindOf(format);
  return kind ? { name, format, kind, density: resolveViewport(options).deviceScaleFactor } : undefined;
}

/** The format of the file that shows the differences of two files of a kind. */
export function diffFormatOf(kind: ComparedKind): 'png' | 'text' {
  return kind === 'picture' ? 'png' : 'text';
}
