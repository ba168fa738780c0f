import type { Draft, LoadingPage } from './draft.js';

/**
 * A canvas whose bars grow to their height, as with Chart.js; the swatches are drawn last.
 *
 * @param start JavaScript that calls `enter` when the data are there
 */
function canvas(draft: Draft, start: string): LoadingPage {
  const [place, pieces] = [draft.hash(), draft.int(3, 6)];
  const ms = draft.int(400, 1_000);
  return draft.page({
    body: `${draft.header()}<canvas id="${place}" width="720" height="320"></canvas>`,
    script: draft.begin(`const context = byId('${place}').getContext('2d');
      const bars = ${JSON.stringify(Array.from({ length: pieces }, () => draft.int(80, 260)))};
      const enter = () => {
        const began = performance.now();
        const draw = () => {
          const at = Math.min(1, (performance.now() - began) / ${ms});
          context.clearRect(0, 0, 720, 320);
          bars.forEach((bar, i) => {
            context.fillStyle = '#88a';
            context.fillRect(20 + i * 100, 300 - bar * at, 60, bar * at);
            context.fillStyle = '#${draft.colour}';
            if (at === 1) context.fillRect(40 + i * 100, 300 - bar, 20, 20);
          });
          if (at < 1) requestAnimationFrame(draw);
        };
        requestAnimationFrame(draw);
      };
      ${start}`),
    pieces,
  });
}

/** An SVG chart whose bars a script stretches, frame by frame. */
function svg(draft: Draft): LoadingPage {
  const [place, pieces] = [draft.hash(), draft.int(3, 6)];
  const bars = Array.from(
    { length: pieces },
    (_, at) => `<rect x="${20 + at * 100}" y="300" width="20" height="0" fill="#${draft.colour}"/>`,
  );
  const ms = draft.int(300, 1_100);
  return draft.page({
    body: `${draft.header()}<svg id="${place}" width="720" height="320" shape-rendering="crispEdges">${bars.join('')}</svg>`,
    script: draft.begin(`const bars = [...byId('${place}').children];
      fetch('/after?ms=${draft.int(80, 900)}').then((answer) => answer.text()).then(() => {
        const began = performance.now();
        const draw = () => {
          const at = Math.min(1, (performance.now() - began) / ${ms});
          for (const bar of bars) { bar.setAttribute('height', 20 * at); bar.setAttribute('y', 300 - 20 * at); }
          if (at < 1) requestAnimationFrame(draw);
        };
        draw();
      });`),
    pieces,
  });
}

/** The content is there, in a font that has not come. Its X is a solid box, by which the picture shows it. */
function font(draft: Draft): LoadingPage {
  const [name, family] = [draft.hash(), draft.hash()];
  return draft.page({
    style: `@font-face { font-family: ${family}; src: url('/box.ttf?ms=${draft.int(300, 1_600)}'); font-display: ${draft.pick(['block', 'swap'])} }
      .${name} { font: 20px/20px sans-serif; height: 20px; width: 20px; overflow: hidden; color: #${draft.colour} } .${name}.late { font-family: ${family} }`,
    body: `${draft.header()}<p>${draft.sentence(5, 12)}</p><div class="${name}" id="${name}">X</div>`,
    script: draft.begin(`setTimeout(() => byId('${name}').classList.add('late'), ${draft.pick([0, 0, 0])});`),
    pieces: 1,
  });
}

/** Pictures that scripts ask for, in the document or as backgrounds. */
function images(draft: Draft): LoadingPage {
  const [name, pieces] = [draft.hash(), draft.int(2, 5)];
  const picture = `<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"><rect width="20" height="20" fill="#${draft.colour}"/></svg>`;
  const isBackground = draft.chance(0.5);
  const boxes = Array.from(
    { length: pieces },
    () => `<div class="${name}" style="width: 20px; height: 20px"></div>`,
  );
  const show = isBackground
    ? "box.style.backgroundImage = 'url(\"' + url + '\")'"
    : 'box.innerHTML = \'<img alt="" width=20 height=20 loading=lazy src="\' + url + \'">\'';
  return draft.page({
    body: `${draft.header()}<p>${draft.sentence(5, 12)}</p>${boxes.join('')}`,
    script: draft.begin(`document.querySelectorAll('.${name}').forEach((box, at) => {
        const url = '/after?ms=' + (${draft.int(150, 700)} + at * ${draft.int(0, 200)}) + '&part=' + at + '&type=image/svg%2Bxml&body=${encodeURIComponent(picture)}';
        ${show};
      });`),
    pieces,
  });
}

/** Drawings, fonts and pictures. */
export const DRAWINGS = {
  'a canvas that is drawn after a fetch': (draft: Draft) =>
    canvas(draft, `fetch('/after?ms=${draft.int(100, 900)}').then((answer) => answer.text()).then(enter);`),
  'a canvas that is drawn from its start': (draft: Draft) => canvas(draft, 'enter();'),
  'an SVG chart that grows': svg,
  'a font that is late': font,
  'pictures that are late': images,
} as const;
