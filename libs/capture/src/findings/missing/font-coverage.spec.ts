import { describe, expect, it } from '@jest/globals';
import {
  markIncomplete,
  noteSections,
  isAnythingMissing,
  nothingMissing,
} from '../../record/completeness.js';
import { noFacts } from '../../record/facts.js';
import { FontCoverage } from './font-coverage.js';
import { scriptOf } from './note-missing.js';

const lettersFrom = (code: number, count: number): string =>
  Array.from({ length: count }, (_, at) => String.fromCodePoint(code + at)).join('');

describe('the letters of the fonts', () => {
  it('are known one by one, and by the block once enough of it are there', () => {
    const coverage = new FontCoverage();
    coverage.noteSigns({ drawn: 'жщ', lacking: '' });
    expect(coverage.known()).toEqual({ letters: 'жщ', blocks: [] });
    coverage.noteSigns({ drawn: lettersFrom(0x430, 16), lacking: '' });
    expect(coverage.known()).toEqual({ letters: '', blocks: [0x430 >> 7] });
  });

  it('are never known by the block when one of it is lacking', () => {
    const coverage = new FontCoverage();
    coverage.noteSigns({ drawn: lettersFrom(0xac00, 20), lacking: '각' });
    expect(coverage.known()).toEqual({ letters: lettersFrom(0xac00, 20), blocks: [] });
  });

  it('are sent up to a limit', () => {
    const coverage = new FontCoverage();
    for (let block = 8; block < 300; block += 1)
      coverage.noteSigns({ drawn: lettersFrom(block << 7, 15), lacking: '' });
    expect(coverage.known().letters).toHaveLength(2_000);
  });
});

describe('the script of a letter', () => {
  it.each([
    ['བ', 'Tibetan'],
    ['안', 'Hangul'],
    ['你', 'Han'],
    ['\u{12f90}', 'Cypro Minoan'],
    ['😀', 'Emoji'],
    ['\ue000', 'Private use'],
    ['∮', 'Symbols'],
  ])('of %s is %s', (letter, script) => {
    expect(scriptOf(letter)).toBe(script);
  });
});

describe('what is missing', () => {
  it('makes a capture incomplete when it is sections, each reason once', () => {
    const facts = noFacts();
    noteSections(facts, 0);
    expect([facts.complete, isAnythingMissing(facts.missing)]).toEqual([true, false]);
    markIncomplete(facts, 'still_loading');
    markIncomplete(facts, 'still_loading');
    noteSections(facts, 3);
    expect(facts.complete).toBe(false);
    expect(facts.missing).toEqual({
      ...nothingMissing(),
      reasons: ['still_loading', 'sections_not_revealed'],
      sections: 3,
    });
  });
});
