import { describe, expect, it } from '@jest/globals';
import { compose } from './compose.js';
import { Flag, Items, Text, Whole } from './decorators.js';
import { fieldsOf } from './field-spec.js';
import { faultsOf, instantiate, parse } from './validate.js';

class Size {
  @Whole('Width.', { min: 1, max: 100 })
  width = 10;

  @Whole('Height.', { min: 1, max: 100 })
  height?: number;
}

class Tag {
  @Text('Name.', { max: 5 })
  name?: string;
}

class Look {
  @Flag('Dark.')
  dark = true;

  @Items(Tag, 'Tags.', { maxItems: 2 })
  tags: Tag[] = [];
}

const Both = compose('Both', [Size, Look]);

describe(compose.name, () => {
  it('makes a class of the given name with all fields in order', () => {
    expect(Both.name).toBe('Both');
    expect(fieldsOf(Both).map(({ name }) => name)).toEqual(['width', 'height', 'dark', 'tags']);
  });

  it('keeps the defaults', () => {
    const both = parse(Both, { height: 3 });
    expect(both).toEqual({ width: 10, height: 3, dark: true, tags: [] });
    expect(both).toBeInstanceOf(Both);
  });

  it('prefers given values, false included, to the defaults', () => {
    expect(instantiate(Both, { dark: false, width: 1 })).toMatchObject({ dark: false, width: 1 });
  });

  it('keeps the rules of every class', () => {
    const faults = faultsOf(Both, { width: 0, dark: 'no', tags: [{ name: 'too long' }], hight: 1 });
    expect(faults.map(({ pointer, code }) => [pointer, code])).toEqual([
      ['/hight', 'unknown_field'],
      ['/width', 'out_of_range'],
      ['/dark', 'wrong_type'],
      ['/tags/0/name', 'wrong_length'],
    ]);
  });

  it('makes the items of a list instances of their class', () => {
    const { tags } = parse(Both, { tags: [{ name: 'a' }] });
    expect(tags[0]).toBeInstanceOf(Tag);
  });

  it('leaves the source classes unchanged', () => {
    expect(fieldsOf(Size).map(({ name }) => name)).toEqual(['width', 'height']);
    expect(faultsOf(Size, { dark: true })).toHaveLength(1);
  });

  it('refuses a field that two classes state', () => {
    class Other {
      @Flag('Again.')
      dark = false;
    }
    expect(() => compose('Twice', [Look, Other])).toThrow('dark is stated twice in Twice');
  });
});
