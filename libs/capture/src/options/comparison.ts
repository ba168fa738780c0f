import { isId, type Fault } from '@app/kernel';
import { defineFamily } from '../pipeline/family.js';
import { Decimal, Text, TextList } from '../pipeline/option-fields.js';
import { MAX_SELECTOR_LENGTH, selectorsFault } from '../pipeline/selector-rule.js';

const PREVIOUS = 'previous';

export class ComparisonOptions {
  @Text(
    "Compares the capture with an earlier one of the account: the id of a capture, or `previous` for the latest that succeeded with the same options and target (all options but those of delivery, comparison and the cache) and whose file still exists. The first output that is a picture, a text or Markdown is compared, with the file of the same name or the first of the same kind. The record's `change` says what differs, and a file `diff` shows it.",
    { exposure: 'own', max: 36, check: captureFault, example: PREVIOUS },
  )
  compare_with?: string;

  @Decimal(
    'How much the colour of a pixel may differ without counting as changed: 0 is not at all. Smooth edges of letters and shapes never count.',
    { exposure: 'own', min: 0, max: 1 },
  )
  compare_threshold = 0.1;

  @TextList(
    'CSS selectors of elements that the comparison ignores, such as clocks and advertisements: the places in which they stand in the new picture.',
    {
      exposure: 'own',
      maxItems: 50,
      maxLength: MAX_SELECTOR_LENGTH,
      check: selectorsFault,
      example: ['.clock'],
    },
  )
  compare_ignore_selectors: string[] = [];

  @Text(
    'The id of a capture of the same page made a moment ago. What differs between that one and this one is noise, which the comparison leaves out: `noise` of `change` says where it is.',
    {
      exposure: 'own',
      max: 36,
      check: (value: string) => (isId(value) ? undefined : 'must be the id of a capture'),
      example: '019aa5c2-7d1e-7c3a-9f4b-2f1c8a6e5d40',
    },
  )
  compare_confirms?: string;
}

function captureFault(value: string): string | undefined {
  return value === PREVIOUS || isId(value) ? undefined : 'must be previous or the id of a capture';
}

function check(options: ComparisonOptions, given: ReadonlySet<string>): Fault[] {
  if (options.compare_with !== undefined) return [];
  return ['compare_threshold', 'compare_ignore_selectors', 'compare_confirms']
    .filter((name) => given.has(name))
    .map((name) => ({ pointer: `/${name}`, code: 'conflict', detail: 'needs compare_with' }));
}

export const comparison = defineFamily(
  { name: 'comparison', doc: 'What changed since an earlier capture.' },
  ComparisonOptions,
  { check },
);
