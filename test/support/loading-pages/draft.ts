import { seededRandom } from '../seeded-random.js';

/** A page whose content comes in some way, and what its picture has to show. */
export interface LoadingPage {
  readonly html: string;
  /** Number of pieces of the content. Each shows a swatch of 20 × 20 px in `colour`, and nothing else has this colour. */
  readonly pieces: number;
  /** Red, green and blue in hexadecimal. */
  readonly colour: string;
}

interface Parts {
  readonly style?: string;
  readonly body: string;
  readonly script?: string;
  readonly pieces: number;
}

const NAMES = [
  (hash: string) => `_${hash}`,
  (hash: string) => `css-${hash}`,
  (hash: string) => `sc-${hash} k${hash.split('').reverse().join('')}`,
  (hash: string) => `x${hash}`,
  (hash: string) => `jss${Number.parseInt(hash, 36) % 900}`,
];
const WORDS =
  'market river garden paper signal winter copper engine harbour letter window forest silver budget planet bridge coffee report season meadow travel orange basket castle motion gentle yellow bright simple modern narrow public former common annual global recent total open early steady quick'.split(
    ' ',
  );
const COLOURS = ['12b886', 'e64980', '4c6ef5', 'f76707', '7950f2', '0ca678', 'd6336c', '1c7ed6'];
const FONTS = ['sans-serif', 'serif', 'Arial, sans-serif', 'Georgia, serif', 'system-ui'];
const HASH = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** Decides what varies between pages of a kind. The same seed gives the same page. */
export class Draft {
  private readonly random: () => number;
  private readonly toName: (hash: string) => string;
  /** The colour of the swatches. */
  readonly colour: string;
  readonly isDark: boolean;

  constructor(seed: number) {
    this.random = seededRandom(seed);
    this.toName = this.pick(NAMES);
    this.colour = this.pick(COLOURS);
    this.isDark = this.chance(0.25);
  }

  /** A whole number between two, both included. */
  int(from: number, to: number): number {
    return from + Math.floor(this.random() * (to - from + 1));
  }

  chance(share: number): boolean {
    return this.random() < share;
  }

  pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.random() * list.length)] as T;
  }

  /** A class name as build tools make them, without a meaning. */
  name(): string {
    return this.toName(this.hash());
  }

  /** A name for an element or an animation. */
  hash(): string {
    const rest = Array.from({ length: 5 }, () => this.pick([...HASH]));
    return `${this.pick([...HASH.slice(0, 26)])}${rest.join('')}`;
  }

  words(count: number): string {
    return Array.from({ length: count }, () => this.pick(WORDS)).join(' ');
  }

  sentence(from: number, to: number): string {
    const words = this.words(this.int(from, to));
    return `${words[0]?.toUpperCase()}${words.slice(1)}.`;
  }

  /** A neutral colour as skeletons have it; `step` makes it a little stronger. */
  grey(step = 0): string {
    const light = ['#eee', '#e5e7eb', '#e2e8f0', '#dfe3e8', 'rgba(0, 0, 0, 0.11)'];
    const dark = ['#374151', '#334155', '#333', '#2a2d34', 'rgba(255, 255, 255, 0.13)'];
    if (step > 0) return this.isDark ? '#4b5563' : '#f6f7f8';
    return this.pick(this.isDark ? dark : light);
  }

  /** The mark of a piece of content, which the picture is searched for. */
  get swatch(): string {
    return `<i style="display: inline-block; width: 20px; height: 20px; background: #${this.colour}"></i>`;
  }

  /** Content in `count` pieces, as cards, a list or a table. */
  content(count: number): string {
    const texts = Array.from({ length: count }, () => this.sentence(4, 9));
    const shape = this.pick(['cards', 'list', 'table'] as const);
    if (shape === 'list')
      return `<ul>${texts.map((text) => `<li>${this.swatch} ${text}</li>`).join('')}</ul>`;
    if (shape === 'table')
      return `<table>${texts.map((text) => `<tr><td>${this.swatch}</td><td>${text}</td></tr>`).join('')}</table>`;
    const cards = texts.map(
      (text) =>
        `<article style="width: 260px"><h3>${this.words(2)}</h3>${this.swatch}<p>${text}</p></article>`,
    );
    return `<div style="display: flex; flex-wrap: wrap; gap: 12px">${cards.join('')}</div>`;
  }

  /** What a page has around its content: nothing, a headline, a navigation. */
  header(): string {
    const links = Array.from({ length: this.int(2, 5) }, () => `<a href="#">${this.words(1)}</a>`).join(' ');
    return this.pick([
      `<h1>${this.words(2)}</h1>`,
      `<header><b>${this.words(1)}</b> <nav>${links}</nav></header>`,
      `<header><h1>${this.words(1)}</h1><nav>${links}</nav></header><p>${this.sentence(4, 8)}</p>`,
    ]);
  }

  /** A whole page of text, as articles have it. */
  article(paragraphs = this.int(4, 8)): string {
    const texts = Array.from({ length: paragraphs }, () => `<p>${this.sentence(30, 60)}</p>`);
    return `<h1>${this.words(3)}</h1>${this.swatch}${texts.join('')}`;
  }

  /** JavaScript that calls a function when the page begins to work: at once, once it is parsed, or loaded. */
  begin(body: string): string {
    const event = this.pick(['', 'DOMContentLoaded', 'load']);
    const run = `(() => {\n${body}\n})`;
    return event === '' ? `${run}();` : `addEventListener('${event}', ${run});`;
  }

  /** As `page`, but its load may end long after it was parsed, so that what moves has moved before. */
  completePage(parts: Parts): LoadingPage {
    const late = this.chance(0.5)
      ? `<img alt="" width="1" height="1" src="/after?ms=${this.int(200, 900)}&type=image/svg%2Bxml&body=${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>')}">`
      : '';
    return this.page({ ...parts, body: `${parts.body}${late}` });
  }

  page({ style = '', body, script = '', pieces }: Parts): LoadingPage {
    const colours = this.isDark ? 'background: #16181d; color: #e6e6e6' : 'background: #fff; color: #222';
    const html = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${this.words(3)}</title>
<style>
  body { margin: 0; padding: ${this.int(8, 32)}px; font: ${this.int(14, 18)}px/1.4 ${this.pick(FONTS)}; ${colours} }
  ${style}
</style></head>
<body>
${body}
<script>
const byId = (id) => document.getElementById(id);
${script}
</script>
</body></html>`;
    return { html, pieces, colour: this.colour };
  }
}
