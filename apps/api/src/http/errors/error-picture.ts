import type { Problem } from './problem.js';

export const PICTURE_TYPE = 'image/svg+xml; charset=utf-8';

const WIDTH = 480;
const HEIGHT = 120;

/** A title of the catalogue fits into two lines of this length. */
const LINE_LENGTH = 44;

const SIGNS: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/**
 * An error as a picture for an `<img>`, which shows no text: its status and its title. Both are texts of the catalogue, so
 * that the picture says nothing about the request or the service. It has no style sheet and no script, which the
 * Content-Security-Policy of the API would refuse.
 */
export function errorPicture({ status, code, title }: Problem): string {
  const lines = linesOf(title).map(
    (line, i) => `<text x="24" y="${58 + i * 22}" font-size="17" fill="#1f2937">${escape(line)}</text>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" font-family="system-ui, sans-serif">`,
    `<title>${escape(title)}</title>`,
    `<rect x="0.5" y="0.5" width="${WIDTH - 1}" height="${HEIGHT - 1}" rx="8" fill="#f9fafb" stroke="#d1d5db"/>`,
    `<rect x="0" y="20" width="4" height="${HEIGHT - 40}" fill="#b91c1c"/>`,
    `<text x="24" y="32" font-size="13" fill="#b91c1c">${status} ${escape(code)}</text>`,
    ...lines,
    '</svg>',
  ].join('');
}

/** The words of a title in lines; what does not fit into two is cut. */
function linesOf(title: string): string[] {
  const lines = [''];
  for (const word of title.split(' ')) {
    const line = `${lines.at(-1) ?? ''} ${word}`.trim();
    if (line.length <= LINE_LENGTH) lines[lines.length - 1] = line;
    else lines.push(word);
  }
  const [first = '', second, ...more] = lines;
  return second === undefined ? [first] : [first, more.length > 0 ? `${second} …` : second];
}

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => SIGNS[sign] ?? sign);
}
