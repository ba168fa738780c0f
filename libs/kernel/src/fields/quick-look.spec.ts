import { describe, expect, it } from '@jest/globals';
import { validateSync } from 'class-validator';
import { single } from './compose.js';
import { Choice, Decimal, Flag, ObjectList, Text, TextList, TextMap, Whole } from './decorators.js';
import { fieldsOf } from './field-spec.js';
import { isPlainlyValid } from './quick-look.js';

class Everything {
  @Flag('')
  flag?: boolean;

  @Whole('', { min: 2, max: 5 })
  whole?: number;

  @Decimal('', { min: 0.5, max: 5 })
  decimal?: number;

  @Choice(['abc', '3'], '')
  choice?: string;

  @Text('', { min: 2, max: 4 })
  text?: string;

  @Text('', { max: 4, pattern: /^a/ })
  pattern?: string;

  @Text('', { max: 9, check: (text: string) => (text === 'abc' ? 'is taken' : undefined) })
  checked?: string;

  @Text('', { max: 9, check: () => JSON.parse('{') as string })
  throwing?: string;

  @TextList('', { maxItems: 2, maxLength: 3 })
  list?: string[];

  @TextList('', { maxItems: 2, maxLength: 9, choices: ['abc'] })
  choices?: string[];

  @ObjectList('', { maxItems: 2 })
  objects?: object[];

  @TextMap('')
  map?: Record<string, string>;
}

const TEXTS = [
  '',
  'a',
  'ab',
  'abc',
  '3',
  'abcd',
  'abcde',
  'a\0c',
  '\ud800a',
  '\u{1f600}',
  '\ufe0f',
  'a\ufe0f',
];
const VALUES = [
  ...[true, false, null, undefined, NaN, Infinity, -Infinity, 0, 0.5, 1, 2, 2.5, 5, 5.1, 6, '2', 'true'],
  ...TEXTS,
  ...TEXTS.map((text) => [text]),
  ...[[], ['abc', 'abc'], ['a', 'b', 'c'], [1], [null], {}, { a: 'b' }, [{}]],
];

describe(isPlainlyValid.name, () => {
  it.each(fieldsOf(Everything))('finds nothing valid that the rules refuse: $name', (spec) => {
    const type = single(Everything, spec);
    const refused = VALUES.filter((value) => {
      const object = Object.assign(new type(), { [spec.name]: value });
      return isPlainlyValid(spec, value) && validateSync(object, { forbidUnknownValues: false }).length > 0;
    });
    expect(refused).toEqual([]);
  });

  it('finds most valid values', () => {
    const valid = fieldsOf(Everything).map(
      (spec) => [spec.name, VALUES.filter((value) => isPlainlyValid(spec, value))] as const,
    );
    expect(Object.fromEntries(valid)).toEqual({
      flag: [true, false],
      whole: [2, 5],
      decimal: [0.5, 1, 2, 2.5, 5],
      choice: ['abc', '3'],
      text: ['true', 'ab', 'abc', 'abcd'],
      pattern: [],
      checked: ['2', 'true', 'a', 'ab', '3', 'abcd', 'abcde'],
      throwing: [],
      list: [['a'], ['ab'], ['abc'], ['3'], [], ['abc', 'abc']],
      choices: [['abc'], [], ['abc', 'abc']],
      objects: [],
      map: [],
    });
  });
});
