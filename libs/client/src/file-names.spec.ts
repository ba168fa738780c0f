import { describe, expect, it } from '@jest/globals';
import { rowFileName, safeLabel, withoutDevice } from './file-names.js';

describe(rowFileName.name, () => {
  const nameOf = (labels: readonly (string | null)[], row = 7) => rowFileName(row, labels, 100);

  it('begins with the number of the row, so that names are unique and sort as the rows do', () => {
    expect([1, 10_000, 123_456].map((row) => nameOf(['a'], row))).toEqual(['00001-a', '10000-a', '123456-a']);
  });

  it.each([
    [['order-1234', 'example.com'], '00007-order-1234'],
    [[null, 'example.com'], '00007-example.com'],
    [['', 'example.com'], '00007-example.com'],
    [['...', 'example.com'], '00007-example.com'],
    [['///', 'example.com'], '00007-example.com'],
    [['日本語 ü 👩‍👩‍👧'], '00007-日本語 ü 👩-👩-👧'],
    [[null, '..'], '00007-capture'],
    [[], '00007-capture'],
  ])('has the first of %j of which something is left, or else a word', (labels, expected) => {
    expect(nameOf(labels)).toBe(expected);
  });
});

describe(safeLabel.name, () => {
  it.each([
    ['../../etc/passwd', 'etc-passwd'],
    ['..\\..\\windows', 'windows'],
    ['a/../b', 'a-.-b'],
    ['C:\\temp', 'C-temp'],
    ['a\0b\nc\x7fd\x85e', 'a-b-c-d-e'],
    ['gnp.\u202egpj', 'gnp.-gpj'],
    ['a\u2028b\ufeffc', 'a-b-c'],
    ['what? *.* <x> |"y"|', 'what- -.- -x- -y'],
    [' . trailing. . ', 'trailing'],
    ['.hidden', 'hidden'],
    ['-rf', 'rf'],
    ['~/.ssh/id', '~-.ssh-id'],
    ['$(rm -rf ~)', '$(rm -rf ~)'],
    ['a\ud800b', 'a\ufffdb'],
    ['e\u0301', 'é'],
    ['', ''],
  ])('turns %j into %j', (text, label) => {
    expect(safeLabel(text, 100)).toBe(label);
  });

  it('is as short as it must be, and ends with a whole character', () => {
    expect(safeLabel('a'.repeat(300), 150)).toBe('a'.repeat(150));
    expect(safeLabel('😀'.repeat(100), 150)).toBe('😀'.repeat(37));
    expect(safeLabel('ä'.repeat(100), 100)).toBe('ä'.repeat(50));
    expect(safeLabel(`${'a'.repeat(149)}. b`, 150)).toBe('a'.repeat(149));
  });
});

describe(withoutDevice.name, () => {
  it.each(['con', 'NUL', 'aux', 'prn', 'com1', 'lpt9'])(
    'changes %s, which is a device of Windows',
    (name) => {
      expect(withoutDevice(name)).toBe(`_${name}`);
    },
  );

  it.each(['phone', 'console', 'com', 'lpt10'])('keeps %s', (name) => {
    expect(withoutDevice(name)).toBe(name);
  });
});
