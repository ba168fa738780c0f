import { run, systemTool } from './processes.mjs';
import { lettersOf, WRITING_SYSTEMS } from './writing-systems.mjs';

/** @import { WritingSystem } from './writing-systems.mjs' */

/**
 * @typedef {object} Font
 * @property {string[]} families
 * @property {boolean} isColoured
 * @property {[first: number, last: number][]} ranges of code points
 */

/**
 * The fonts of the system as fontconfig lists them, in lines of names, colour and code points; undefined where it has no
 * `fc-list`.
 */
export async function listFonts() {
  const fcList = systemTool('fc-list');
  if (fcList === undefined) return undefined;
  const args = [':scalable=true', '-f', '%{family}\t%{color}\t%{charset}\n'];
  const { stdout } = await run({ command: fcList, args });
  return stdout.split('\n').filter(Boolean).sort();
}

/**
 * @param {string} line
 * @returns {Font}
 */
function readFont(line) {
  const [families = '', isColoured, charset = ''] = line.split('\t');
  const ranges = charset.split(' ').map((range) => {
    const [first = '', last = first] = range.split('-');
    return /** @type {[number, number]} */ ([Number.parseInt(first, 16), Number.parseInt(last, 16)]);
  });
  return { families: families.split(','), isColoured: isColoured === 'True', ranges };
}

/**
 * The writing systems for which no font has all letters. Without a list these are all: a machine without fontconfig has hardly
 * any fonts.
 *
 * @param {readonly string[] | undefined} lines what `listFonts` resolves to
 */
export function systemsWithout(lines) {
  const fonts = lines?.map(readFont);
  return WRITING_SYSTEMS.filter((system) => !fonts?.some((font) => suits(font, system)));
}

/**
 * @param {Font} font
 * @param {WritingSystem} system
 */
function suits({ families, isColoured, ranges }, system) {
  if (system.families && !system.families.some((name) => families.includes(name))) return false;
  if (system.isColoured && !isColoured) return false;
  return lettersOf(system).every((letter) => {
    const code = letter.codePointAt(0) ?? 0;
    return ranges.some(([first, last]) => first <= code && code <= last);
  });
}
