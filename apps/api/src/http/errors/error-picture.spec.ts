import { describe, expect, it } from '@jest/globals';
import { AppError, ERROR_CODES, ERRORS } from '@app/kernel';
import { errorPicture } from './error-picture.js';
import { toProblem } from './problem.js';

const pictureOf = (title: string) =>
  errorPicture({ ...toProblem(new AppError('internal'), 'request-id'), title });
const linesOf = (picture: string): string[] =>
  [...picture.matchAll(/font-size="17"[^>]*>([^<]*)</g)].map(([, line = '']) => line);

describe('the picture of an error', () => {
  it.each(ERROR_CODES)('shows the status, the code and the whole title of %s', (code) => {
    const picture = errorPicture(toProblem(new AppError(code, { detail: 'A token.' }), 'request-id'));
    expect(picture).toContain(`>${ERRORS[code].status} ${code}<`);
    const lines = linesOf(picture);
    expect(lines.join(' ').replaceAll('&#39;', "'")).toBe(ERRORS[code].title);
    expect(lines.length).toBeLessThanOrEqual(2);
    expect(picture).not.toMatch(/token|request-id|…/);
  });

  it('escapes what it shows', () => {
    const picture = pictureOf(`<script>a('1')</script> & "b"`);
    expect(picture).not.toContain('<script');
    expect(linesOf(picture)).toEqual(['&lt;script&gt;a(&#39;1&#39;)&lt;/script&gt; &amp; &quot;b&quot;']);
  });

  it('cuts a title that is too long', () => {
    const lines = linesOf(pictureOf('word '.repeat(40).trim()));
    expect(lines).toHaveLength(2);
    expect(lines[1]).toMatch(/ …$/);
  });
});
