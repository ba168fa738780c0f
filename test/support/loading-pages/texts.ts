import type { Draft, LoadingPage } from './draft.js';

/** Pieces of a page whose text is shown in steps: one swatch is there before, one comes with the last letter. */
const PIECES = 2;

/**
 * A page with a text that a script shows one letter after the other.
 *
 * @param show JavaScript that shows the first `n` letters of `text` in `place`
 */
function typed(draft: Draft, show: string, caret = ''): LoadingPage {
  const place = draft.hash();
  const text = draft.sentence(4, 8);
  const everyMs = draft.int(35, 75);
  const step = draft.pick([1, 1, 2]);
  const end = draft.hash();
  const intro = draft.chance(0.5) ? `<p>${draft.sentence(8, 20)}</p>` : '';
  return draft.page({
    style: `@keyframes ${end} { 50% { opacity: 0 } } .${end} { animation: ${end} 1s step-end infinite }`,
    body: `<h1><span id="${place}"></span>${caret.replace('NAME', end)}</h1>${draft.swatch}${intro}<div id="${end}"></div>`,
    script: draft.begin(`const text = ${JSON.stringify(text)};
      const place = byId('${place}');
      let n = 0;
      const timer = setInterval(() => {
        n = Math.min(text.length, n + ${step});
        ${show}
        if (n < text.length) return;
        clearInterval(timer);
        byId('${end}').innerHTML = ${JSON.stringify(draft.swatch)};
      }, ${everyMs});
      n = ${draft.int(0, 1)};
      if (n > 0) { ${show} }`),
    pieces: PIECES,
  });
}

/** A CSS animation uncovers the text in steps; no script takes part. */
function uncovered(draft: Draft): LoadingPage {
  const [name, frames] = [draft.hash(), draft.hash()];
  const text = draft.sentence(4, 6);
  const style = `.${name} { display: inline-block; overflow: hidden; white-space: nowrap; border-right: 3px solid; width: ${text.length + 3}ch; font: 22px monospace; animation: ${frames} ${draft.int(22, 38) / 10}s steps(${text.length}) both }
  @keyframes ${frames} { from { width: 0 } }`;
  // The swatch stands at the end of the text, where it is uncovered last.
  return draft.page({
    style,
    body: `<div class="${name}">${text}${draft.swatch}</div><p>${draft.swatch} ${draft.sentence(5, 12)}</p><script>document.title += '!';</script>`,
    pieces: PIECES,
  });
}

/** An assistant answers: words come in small groups, in uneven steps, in one growing text. */
function answered(draft: Draft): LoadingPage {
  const place = draft.hash();
  const end = draft.hash();
  const words = draft.sentence(14, 24).split(' ');
  return draft.page({
    body: `<p>${draft.swatch} ${draft.sentence(4, 9)}</p><p id="${place}"></p><div id="${end}"></div>`,
    script: draft.begin(`const words = ${JSON.stringify(words)};
      const steps = ${JSON.stringify(Array.from({ length: words.length }, () => draft.int(20, 180)))};
      const text = document.createTextNode('');
      byId('${place}').append(text);
      const next = () => {
        text.data += words.shift() + ' ';
        if (words.length > 0) setTimeout(next, steps[words.length]);
        else byId('${end}').innerHTML = ${JSON.stringify(draft.swatch)};
      };
      next();`),
    pieces: PIECES,
  });
}

/** A number counts up to its value, as with CountUp.js: fast at first, then slower. */
function counted(draft: Draft): LoadingPage {
  const place = draft.hash();
  const [value, ms] = [draft.int(1_200, 90_000), draft.int(1_000, 2_200)];
  const end = draft.hash();
  return draft.page({
    body: `${draft.header()}<p>${draft.swatch} ${draft.sentence(4, 9)}</p><h2 id="${place}">0</h2><div id="${end}"></div>`,
    script: draft.begin(`const began = performance.now();
      const step = () => {
        const at = Math.min(1, (performance.now() - began) / ${ms});
        byId('${place}').textContent = Math.round(${value} * (1 - 2 ** (-10 * at)) * 1024 / 1023).toLocaleString('en');
        if (at < 1) requestAnimationFrame(step);
        else byId('${end}').innerHTML = ${JSON.stringify(draft.swatch)};
      };
      step();`),
    pieces: PIECES,
  });
}

/** Texts that grow to their end. */
export const TEXTS = {
  'a text that is set again with each letter': (draft: Draft) =>
    typed(draft, 'place.textContent = text.slice(0, n);'),
  'a text whose node grows, with a caret': (draft: Draft) =>
    typed(
      draft,
      'if (place.firstChild) place.firstChild.data = text.slice(0, n); else place.append(text.slice(0, n));',
      '<span class="NAME">|</span>',
    ),
  'a text that is set as HTML': (draft: Draft) =>
    typed(draft, 'place.innerHTML = "<em>" + text.slice(0, n) + "</em>";', '<span class="NAME">_</span>'),
  'a text that CSS uncovers': uncovered,
  'an answer that comes word by word': answered,
  'a number that counts up': counted,
} as const;
