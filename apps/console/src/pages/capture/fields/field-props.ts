import type { CatalogueOption } from '@capture-service/client';

/** What every control of an option takes. */
export interface FieldProps {
  readonly option: CatalogueOption;
  /** Id of the control, to which the label belongs. */
  readonly id: string;
  /** What is stated; undefined without a statement. */
  readonly value: unknown;
  /** What applies without a statement; undefined when it is not known. */
  readonly fallback: unknown;
  readonly fault: string | undefined;
  readonly disabled: boolean;
  readonly onChange: (value: unknown) => void;
}

/** A text of a value that the control cannot hold, such as a number in a field of text. */
export function shown(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
