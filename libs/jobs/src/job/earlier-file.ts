import { comparedKindOf, DIFF, type ComparedKind, type Format } from '@app/capture';

/** The file of an earlier capture to compare with: that of the same name if it is of the same kind, or the first of that kind. */
export function earlierOutput<File extends { readonly name: string; readonly format: Format }>(
  own: { readonly name: string; readonly kind: ComparedKind },
  files: readonly File[],
): File | undefined {
  const ofKind = files.filter(({ name, format }) => name !== DIFF && comparedKindOf(format) === own.kind);
  return ofKind.find(({ name }) => name === own.name) ?? ofKind[0];
}
