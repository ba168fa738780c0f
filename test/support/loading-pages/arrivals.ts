import type { Draft, LoadingPage } from './draft.js';

const CARD = 'padding: 12px; border: 1px solid #8888; border-radius: 6px; min-width: 160px';

/** JavaScript that makes the element of a widget. */
const widget = (draft: Draft): string =>
  `(() => { const made = document.createElement('${draft.pick(['div', 'section', 'article'])}'); made.style.cssText = '${CARD}'; made.innerHTML = ${JSON.stringify(`<b>${draft.words(1)}</b> ${draft.swatch}<p>${draft.sentence(3, 8)}</p>`)}; return made; })`;

/** Widgets come one after the other, each at the end of an element that was empty. */
function appended(draft: Draft): LoadingPage {
  const [place, pieces] = [draft.hash(), draft.int(4, 6)];
  const everyMs = draft.int(200, 450);
  const empty = draft.pick([
    `<div id="${place}"></div>`,
    `<main id="${place}"></main>`,
    `<div id="${place}" style="display: grid; grid-template-columns: repeat(3, 1fr); gap: 12px"></div>`,
    `<div id="${place}" style="display: flex; flex-wrap: wrap; gap: 12px"></div>`,
  ]);
  const makers = Array.from({ length: pieces }, () => widget(draft));
  return draft.page({
    body: `${draft.header()}${empty}`,
    script: draft.begin(`const makers = [${makers.join()}];
      const timer = setInterval(() => {
        byId('${place}').append(makers.shift()());
        if (makers.length === 0) clearInterval(timer);
      }, ${everyMs});`),
    pieces,
  });
}

/** Each widget has its place, and fills it in its turn. */
function inSlots(draft: Draft): LoadingPage {
  const [place, pieces] = [draft.hash(), draft.int(4, 6)];
  const slots = Array.from(
    { length: pieces },
    (_, at) => `<div id="${place}${at}" style="min-height: 90px; ${CARD}"></div>`,
  );
  const makers = Array.from({ length: pieces }, () => widget(draft));
  return draft.page({
    body: `${draft.header()}<div style="display: grid; grid-template-columns: repeat(3, 1fr); gap: 12px">${slots.join('')}</div>`,
    script: draft.begin(`const makers = [${makers.join()}];
      let at = 0;
      const next = () => {
        byId('${place}' + at).replaceChildren(makers[at]());
        at += 1;
        if (at < makers.length) setTimeout(next, ${draft.int(220, 400)});
      };
      setTimeout(next, ${draft.int(50, 400)});`),
    pieces,
  });
}

/** Several parts of a page ask for their data at once, and get them at different times. */
function fetched(draft: Draft): LoadingPage {
  const [place, pieces] = [draft.hash(), draft.int(3, 6)];
  const makers = Array.from({ length: pieces }, () => widget(draft));
  const times = Array.from({ length: pieces }, () => draft.int(100, 1_600));
  return draft.page({
    body: `${draft.header()}<div id="${place}"></div>`,
    script: draft.begin(`[${makers.join()}].forEach((make, at) => {
        fetch('/after?ms=' + ${JSON.stringify(times)}[at] + '&part=' + at).then((answer) => answer.text()).then(() => byId('${place}').append(make()));
      });`),
    pieces,
  });
}

/** A module imports a module, which imports another one, as with routes that are loaded lazily. */
function imported(draft: Draft): LoadingPage {
  const [place, pieces] = [draft.hash(), draft.int(2, 5)];
  let source = `document.getElementById('${place}').innerHTML = ${JSON.stringify(draft.content(pieces))};`;
  for (let depth = draft.int(1, 3); depth > 0; depth -= 1)
    source = `import('/after?ms=${draft.int(80, 450)}&type=text/javascript&body=' + encodeURIComponent(${JSON.stringify(source)}));`;
  return draft.page({
    body: `${draft.header()}<div id="${place}"></div>`,
    script: draft.begin(source),
    pieces,
  });
}

/** The page asks again and again whether its report is made, and says so. */
function polled(draft: Draft): LoadingPage {
  const [place, pieces] = [draft.hash(), draft.int(2, 5)];
  const says = draft.pick([
    'Preparing your report…',
    'Processing…',
    'Generating results...',
    'Fetching data…',
  ]);
  return draft.page({
    body: `${draft.header()}<div id="${place}"><p>${says}</p></div>`,
    script: draft.begin(`let left = ${draft.int(2, 5)};
      const ask = async () => {
        await fetch('/after?ms=${draft.int(20, 80)}&left=' + left).then((answer) => answer.text());
        if (--left > 0) return setTimeout(ask, ${draft.int(300, 550)});
        byId('${place}').innerHTML = ${JSON.stringify(draft.content(pieces))};
      };
      ask();`),
    pieces,
  });
}

/** A blank app, which a timer draws. */
function blank(draft: Draft): LoadingPage {
  const [place, pieces] = [draft.pick(['root', 'app', '__next', draft.hash()]), draft.int(2, 6)];
  return draft.page({
    body: `<div id="${place}"></div>`,
    script: draft.begin(
      `setTimeout(() => { byId('${place}').innerHTML = ${JSON.stringify(draft.header() + draft.content(pieces))}; }, ${draft.int(200, 2_500)});`,
    ),
    pieces,
  });
}

/** Sections ask for their content once an observer finds them in the window. */
function observed(draft: Draft): LoadingPage {
  const [name, pieces] = [draft.hash(), draft.int(2, 4)];
  const sections = Array.from(
    { length: pieces },
    () => `<section class="${name}" style="min-height: 120px"></section>`,
  );
  const makers = Array.from({ length: pieces }, () => widget(draft));
  return draft.page({
    body: `${draft.header()}${sections.join('')}`,
    script: draft.begin(`const makers = [${makers.join()}];
      const observer = new IntersectionObserver((entries) => {
        for (const { isIntersecting, target } of entries) {
          if (!isIntersecting) continue;
          observer.unobserve(target);
          const make = makers.shift();
          fetch('/after?ms=${draft.int(150, 800)}').then((answer) => answer.text()).then(() => target.append(make()));
        }
      });
      document.querySelectorAll('.${name}').forEach((section) => observer.observe(section));`),
    pieces,
  });
}

/** Components stand in the document, and their definition comes late. */
function defined(draft: Draft): LoadingPage {
  const [tag, pieces] = [`${draft.hash()}-${draft.hash()}`, draft.int(2, 5)];
  const source = `customElements.define('${tag}', class extends HTMLElement {
    connectedCallback() { this.attachShadow({ mode: 'open' }).innerHTML = ${JSON.stringify(`<p>${draft.swatch} ${draft.sentence(4, 9)}</p>`)}; }
  });`;
  const late = draft.chance(0.5)
    ? `import('/after?ms=${draft.int(300, 1_200)}&type=text/javascript&body=' + encodeURIComponent(${JSON.stringify(source)}));`
    : `setTimeout(() => { ${source} }, ${draft.int(150, 700)});`;
  return draft.page({
    style: `${tag} { display: block } ${tag}:not(:defined) { visibility: hidden }`,
    body: `${draft.header()}${`<${tag}></${tag}>`.repeat(pieces)}`,
    script: draft.begin(late),
    pieces,
  });
}

/** A frame is added by a script, and its server takes its time. */
function framed(draft: Draft): LoadingPage {
  const [place, pieces] = [draft.hash(), draft.int(2, 4)];
  const body = `<!doctype html><body style="margin: 0">${draft.content(pieces)}`;
  return draft.page({
    body: `${draft.header()}<div id="${place}"></div>`,
    script: draft.begin(`const frame = document.createElement('iframe');
      frame.style.cssText = 'width: 900px; height: 560px; border: 0; background: #fff';
      frame.src = '/after?ms=${draft.int(200, 1_500)}&type=text/html&body=' + encodeURIComponent(${JSON.stringify(body)});
      byId('${place}').append(frame);`),
    pieces,
  });
}

/** Pages whose parts come by and by. */
export const ARRIVALS = {
  'widgets that come one by one': appended,
  'widgets that fill their places one by one': inSlots,
  'parts that fetch their data': fetched,
  'modules that import modules': imported,
  'a report that is polled for': polled,
  'a blank app': blank,
  'sections that are fetched once they are seen': observed,
  'components that are defined late': defined,
  'a frame that is slow': framed,
} as const;
