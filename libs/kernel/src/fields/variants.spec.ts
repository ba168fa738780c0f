import { describe, expect, it } from '@jest/globals';
import { Text, VariantItems, Whole } from './decorators.js';
import { schemaOf } from './field-spec.js';
import { faultsOf, instantiate } from './validate.js';

class Circle {
  @Whole('Radius.', { min: 1, max: 9 })
  radius = 1;
}

class Word {
  @Text('Text.', { max: 9 })
  text?: string;
}

class Drawing {
  @VariantItems(
    {
      circle: { fields: Circle, required: [], doc: 'A circle.' },
      word: { fields: Word, required: ['text'], doc: 'A word.' },
    },
    'Shapes.',
    { maxItems: 2 },
  )
  shapes: unknown[] = [];
}

const faults = (shapes: unknown): string[] =>
  faultsOf(Drawing, { shapes }).map(({ pointer, code, detail }) => `${pointer} ${code}: ${detail}`);

describe('a list of objects of several kinds', () => {
  it.each([
    [[{ type: 'circle' }, { type: 'word', text: 'a' }], []],
    [[{ type: 'cirle' }], ['/shapes/0/type not_allowed: must be one of circle, word; did you mean circle?']],
    [[{ type: 7 }], ['/shapes/0/type not_allowed: must be one of circle, word']],
    [[{ text: 'a' }], ['/shapes/0/type required: is missing: it must be one of circle, word']],
    [[{ type: 'constructor' }], ['/shapes/0/type not_allowed: must be one of circle, word']],
    [[{ type: 'word' }], ['/shapes/0/text required: is missing']],
    [[{ type: 'circle', text: 'a' }], ['/shapes/0/text unknown_field: is not a known field']],
    [
      [{ type: 'circle' }, { type: 'circle', radius: 10 }],
      ['/shapes/1/radius out_of_range: must be a whole number between 1 and 9'],
    ],
    [[null], ['/shapes/0 wrong_type: must be a JSON object']],
    ['circle', ['/shapes wrong_type: must be a list of objects']],
    [
      [{ type: 'circle' }, { type: 'circle' }, { type: 'circle' }],
      ['/shapes too_many: must have at most 2 items'],
    ],
  ])('%j has the faults %j', (shapes, expected) => {
    expect(faults(shapes)).toEqual(expected);
  });

  it('has the defaults of its kind', () => {
    const { shapes } = instantiate(Drawing, { shapes: [{ type: 'circle' }] });
    expect(shapes).toEqual([{ type: 'circle', radius: 1 }]);
    expect(shapes[0]).toBeInstanceOf(Circle);
  });

  it('has a schema for each kind', () => {
    expect(schemaOf(Drawing)).toMatchObject({
      properties: {
        shapes: {
          type: 'array',
          items: {
            type: 'object',
            oneOf: [
              { title: 'circle', required: ['type'], properties: { type: { const: 'circle' } } },
              { title: 'word', required: ['type', 'text'], additionalProperties: false },
            ],
          },
        },
      },
    });
  });
});
