import type { Draft, LoadingPage } from './draft.js';

/** Grey boxes of the sizes of what is to come, as `row` draws one. */
function boxes(draft: Draft, row: (size: string) => string): string {
  const rows = Array.from({ length: draft.int(3, 7) }, () => {
    const lines = Array.from({ length: draft.int(1, 3) }, () =>
      row(`width: ${draft.int(120, 700)}px; height: ${draft.int(12, 28)}px; margin: 8px 0`),
    );
    const picture = draft.chance(0.5)
      ? row(`width: ${draft.int(40, 200)}px; height: ${draft.int(40, 120)}px`)
      : '';
    return `<div>${picture}${lines.join('')}</div>`;
  });
  return rows.join('');
}

/** A page that shows placeholders in an element, until a timer replaces them. */
function replaced(draft: Draft, style: string, placeholders: string): LoadingPage {
  const pieces = draft.int(3, 6);
  const place = draft.hash();
  const ms = draft.int(700, 3_000);
  return draft.page({
    style,
    body: `${draft.header()}<main id="${place}">${placeholders}</main>`,
    script: draft.begin(
      `setTimeout(() => { byId('${place}').innerHTML = ${JSON.stringify(draft.content(pieces))}; }, ${ms});`,
    ),
    pieces,
  });
}

/** Each box pulses by its opacity, as with react-loading-skeleton's forerunners and MUI. */
function pulsing(draft: Draft): LoadingPage {
  const [name, frames] = [draft.name(), draft.hash()];
  const style = `.${name.replace(' ', '.')} { background: ${draft.grey()}; border-radius: 4px; animation: ${frames} ${draft.int(12, 22) / 10}s ease-in-out infinite ${draft.pick(['', 'alternate'])} }
  @keyframes ${frames} { 50% { opacity: 0.4 } }`;
  return replaced(
    draft,
    style,
    boxes(draft, (size) => `<div class="${name}" style="${size}"></div>`),
  );
}

/** Chakra: the background changes between two greys. */
function tinted(draft: Draft): LoadingPage {
  const [name, frames] = [draft.name(), draft.hash()];
  const style = `.${name.replace(' ', '.')} { pointer-events: none; cursor: default; color: transparent !important; background: ${draft.grey()}; animation: 0.8s linear infinite alternate ${frames} }
  .${name.replace(' ', '.')} * { visibility: hidden }
  @keyframes ${frames} { from { background: ${draft.isDark ? '#1f2937' : '#EDF2F7'} } to { background: ${draft.isDark ? '#4a5568' : '#A0AEC0'} } }`;
  const row = (size: string) => `<div class="${name}" style="${size}"><span>${draft.words(2)}</span></div>`;
  return replaced(draft, style, boxes(draft, row));
}

/** Ant Design and Facebook: a gradient moves through each box. */
function shimmering(draft: Draft): LoadingPage {
  const [name, frames] = [draft.name(), draft.hash()];
  const style = `.${name.replace(' ', '.')} { background: linear-gradient(90deg, ${draft.grey()} 25%, ${draft.grey(1)} 37%, ${draft.grey()} 63%); background-size: 400% 100%; animation: ${frames} 1.4s ease infinite }
  @keyframes ${frames} { 0% { background-position: 100% 50% } 100% { background-position: 0 50% } }`;
  return replaced(
    draft,
    style,
    boxes(draft, (size) => `<div class="${name}" style="${size}"></div>`),
  );
}

/** MUI and react-loading-skeleton: a pseudo-element moves over each box. */
function waving(draft: Draft): LoadingPage {
  const [name, frames] = [draft.name(), draft.hash()];
  const selector = `.${name.replace(' ', '.')}`;
  const style = `${selector} { display: block; position: relative; overflow: hidden; background-color: ${draft.grey()}; border-radius: 4px; line-height: 1 }
  ${selector}::after { content: ''; position: absolute; inset: 0; transform: translateX(-100%); background: linear-gradient(90deg, transparent, rgba(150, 150, 150, 0.15), transparent); animation: ${frames} 1.5s linear infinite }
  @keyframes ${frames} { 0% { transform: translateX(-100%) } 100% { transform: translateX(100%) } }`;
  return replaced(
    draft,
    style,
    boxes(draft, (size) => `<span class="${name}" style="${size}">&zwnj;</span>`),
  );
}

/** A bar moves through each box, as an element of its own. */
function swept(draft: Draft): LoadingPage {
  const [name, bar, frames] = [draft.name(), draft.hash(), draft.hash()];
  const style = `.${name.replace(' ', '.')} { position: relative; overflow: hidden; background: ${draft.grey()} }
  .${bar} { position: absolute; top: 0; bottom: 0; width: 40%; background: linear-gradient(90deg, transparent, ${draft.grey(1)}, transparent); animation: ${frames} 1.2s infinite }
  @keyframes ${frames} { from { left: -40% } to { left: 100% } }`;
  return replaced(
    draft,
    style,
    boxes(draft, (size) => `<div class="${name}" style="${size}"><div class="${bar}"></div></div>`),
  );
}

/** Tailwind: one container pulses, with the boxes in it. */
function grouped(draft: Draft): LoadingPage {
  const frames = draft.hash();
  const [group, box] = [draft.hash(), draft.hash()];
  const style = `.${group} { animation: ${frames} 2s cubic-bezier(0.4, 0, 0.6, 1) infinite } .${box} { background: ${draft.grey()}; border-radius: 6px }
  @keyframes ${frames} { 50% { opacity: 0.5 } }`;
  const inner = boxes(draft, (size) => `<div class="${box}" style="${size}"></div>`);
  return replaced(draft, style, `<div class="${group}">${inner}</div>`);
}

/** Bootstrap: a mask moves over the boxes of a container. */
function masked(draft: Draft): LoadingPage {
  const frames = draft.hash();
  const [group, box] = [draft.hash(), draft.hash()];
  const style = `.${group} { mask-image: linear-gradient(130deg, #000 55%, rgba(0, 0, 0, 0.8) 75%, #000 95%); mask-size: 200% 100%; animation: ${frames} 2s linear infinite }
  .${box} { background: currentcolor; opacity: 0.5 }
  @keyframes ${frames} { 100% { mask-position: -200% 0% } }`;
  const inner = boxes(draft, (size) => `<div class="${box}" style="${size}"></div>`);
  return replaced(draft, style, `<div class="${group}">${inner}</div>`);
}

/** react-content-loader: an SVG whose gradient is animated by itself. */
function drawn(draft: Draft): LoadingPage {
  const [clip, fill] = [draft.hash(), draft.hash()];
  const rects = Array.from(
    { length: draft.int(3, 6) },
    (_, at) => `<rect x="60" y="${10 + at * 30}" rx="3" width="${draft.int(150, 380)}" height="14"/>`,
  );
  const stop = (offset: number, at: string) =>
    `<stop offset="${offset}%" stop-color="${at}"><animate attributeName="offset" values="${offset / 50 - 2}; ${offset / 50 - 2}; ${offset / 50 + 1}" keyTimes="0; 0.25; 1" dur="1.2s" repeatCount="indefinite"/></stop>`;
  const svg = `<svg role="img" width="476" height="${rects.length * 30 + 20}" aria-labelledby="${draft.hash()}">
    <rect width="100%" height="100%" clip-path="url(#${clip})" style="fill: url(#${fill})"/>
    <defs><clipPath id="${clip}">${rects.join('')}<circle cx="25" cy="25" r="20"/></clipPath>
    <linearGradient id="${fill}">${stop(0, draft.grey())}${stop(50, draft.grey(1))}${stop(100, draft.grey())}</linearGradient></defs></svg>`;
  return replaced(draft, '', svg);
}

/** A component that shows its boxes in its shadow root. */
function inComponent(draft: Draft): LoadingPage {
  const [tag, box, frames] = [`${draft.hash()}-${draft.hash()}`, draft.hash(), draft.hash()];
  const pieces = draft.int(2, 5);
  const style = `.${box} { background: ${draft.grey()}; animation: ${frames} 1.5s infinite } @keyframes ${frames} { 50% { opacity: 0.35 } }`;
  const inner = boxes(draft, (size) => `<div class="${box}" style="${size}"></div>`);
  return draft.page({
    body: `${draft.header()}<${tag}></${tag}>`,
    script: `customElements.define('${tag}', class extends HTMLElement {
      connectedCallback() {
        const root = this.attachShadow({ mode: 'open' });
        root.innerHTML = ${JSON.stringify(`<style>:host { display: block } ${style}</style>${inner}`)};
        setTimeout(() => { root.innerHTML = ${JSON.stringify(draft.content(pieces))}; }, ${draft.int(700, 2_500)});
      }
    });`,
    pieces,
  });
}

/** Skeletons, which say what they are only by their behaviour. */
export const SKELETONS = {
  'boxes that pulse': pulsing,
  'boxes that change their grey, with hidden words': tinted,
  'boxes with a moving gradient': shimmering,
  'boxes under a moving pseudo-element': waving,
  'boxes under a moving bar': swept,
  'boxes in a container that pulses': grouped,
  'boxes under a moving mask': masked,
  'boxes in an SVG': drawn,
  'boxes in a shadow root': inComponent,
} as const;
