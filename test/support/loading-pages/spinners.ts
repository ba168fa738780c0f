import type { Draft, LoadingPage } from './draft.js';

/** A page that shows a spinner below its header, until a timer replaces it. */
function replaced(draft: Draft, style: string, spinner: string): LoadingPage {
  const pieces = draft.int(2, 6);
  const place = draft.hash();
  const [holder, wrapper] = [draft.name(), draft.hash()];
  const centred = draft.pick([
    'display: flex; justify-content: center; padding: 80px 0',
    'display: grid; place-items: center; min-height: 50vh',
    'text-align: center; margin-top: 60px',
  ]);
  return draft.page({
    style: `.${wrapper} { ${centred} } ${style}`,
    body: `${draft.header()}<div id="${place}" class="${holder}"><div class="${wrapper}">${spinner}</div></div>`,
    script: draft.begin(
      `setTimeout(() => { byId('${place}').innerHTML = ${JSON.stringify(draft.content(pieces))}; }, ${draft.int(600, 2_200)});`,
    ),
    pieces,
  });
}

/** A ring with one side of another colour. */
function ring(draft: Draft): LoadingPage {
  const [name, frames] = [draft.hash(), draft.hash()];
  const size = draft.int(24, 72);
  const style = `.${name} { box-sizing: border-box; display: inline-block; width: ${size}px; height: ${size}px; border: ${draft.int(2, 6)}px solid #ddd; border-top-color: #3b82f6; border-radius: 50%; animation: ${frames} ${draft.int(6, 14) / 10}s linear infinite }
  @keyframes ${frames} { to { transform: rotate(360deg) } }`;
  return replaced(draft, style, `<span class="${name}"></span>`);
}

/** Material: an SVG turns, and its circle changes its length. */
function circle(draft: Draft): LoadingPage {
  const [name, turn, dash] = [draft.hash(), draft.hash(), draft.hash()];
  const size = draft.int(32, 64);
  const style = `.${name} { width: ${size}px; height: ${size}px; animation: ${turn} 1.4s linear infinite }
  .${name} circle { fill: none; stroke: currentcolor; stroke-width: 3.6; stroke-dasharray: 80px, 200px; animation: ${dash} 1.4s ease-in-out infinite }
  @keyframes ${turn} { to { transform: rotate(360deg) } }
  @keyframes ${dash} { 0% { stroke-dasharray: 1px, 200px } 50% { stroke-dasharray: 100px, 200px; stroke-dashoffset: -15px } 100% { stroke-dasharray: 100px, 200px; stroke-dashoffset: -125px } }`;
  return replaced(
    draft,
    style,
    `<svg class="${name}" viewBox="22 22 44 44"><circle cx="44" cy="44" r="20"/></svg>`,
  );
}

/** An SVG that is animated by itself. */
function animatedSvg(draft: Draft): LoadingPage {
  const size = draft.int(30, 60);
  const turn = `<animateTransform attributeName="transform" type="rotate" dur="0.9s" values="0 12 12; 360 12 12" repeatCount="indefinite"/>`;
  return replaced(
    draft,
    '',
    `<svg width="${size}" height="${size}" viewBox="0 0 24 24"><path fill="none" stroke="#3b82f6" stroke-width="3" d="M12 3a9 9 0 0 1 9 9">${turn}</path></svg>`,
  );
}

/** Dots that bounce one after the other. */
function dots(draft: Draft): LoadingPage {
  const [name, frames] = [draft.hash(), draft.hash()];
  const size = draft.int(10, 22);
  const style = `.${name} { display: inline-block; width: ${size}px; height: ${size}px; margin: 3px; border-radius: 100%; background: #888; animation: ${frames} 1.4s infinite ease-in-out both }
  @keyframes ${frames} { 0%, 80%, 100% { transform: scale(0) } 40% { transform: scale(1) } }`;
  const each = [0, 1, 2].map(
    (at) => `<div class="${name}" style="animation-delay: ${at * 0.16 - 0.32}s"></div>`,
  );
  return replaced(draft, style, `<div>${each.join('')}</div>`);
}

/** A cover over the whole content fades when all is there. */
function cover(draft: Draft): LoadingPage {
  const [name, inner, frames] = [draft.hash(), draft.hash(), draft.hash()];
  const style = `.${name} { position: fixed; inset: 0; z-index: 9; display: flex; align-items: center; justify-content: center; background: ${draft.isDark ? '#111' : '#fff'}; transition: opacity 0.3s }
  .${inner} { width: 48px; height: 48px; border-radius: 8px; background: #3b82f6; animation: ${frames} 1.1s infinite ease-in-out }
  @keyframes ${frames} { 50% { transform: rotate(180deg) scale(0.6) } }`;
  const pieces = draft.int(2, 5);
  return draft.page({
    style,
    body: `<div class="${name}" id="${name}"><div class="${inner}"></div></div>${draft.header()}${draft.content(pieces)}`,
    script: `addEventListener('load', () => setTimeout(() => {
      byId('${name}').style.opacity = '0';
      setTimeout(() => byId('${name}').remove(), 320);
    }, ${draft.int(400, 1_500)}));`,
    pieces,
  });
}

/** Only the app's own spinner, in an element that is no `#root`. */
function alone(draft: Draft): LoadingPage {
  const [place, name, frames] = [draft.hash(), draft.hash(), draft.hash()];
  const pieces = draft.int(2, 6);
  return draft.page({
    style: `.${name} { width: 50px; height: 50px; margin: 40vh auto; border-radius: 50%; border: 5px solid #3b82f6; border-right-color: transparent; animation: ${frames} 1s linear infinite }
    @keyframes ${frames} { to { transform: rotate(1turn) } }`,
    body: `<div id="${place}"><div class="${name}"></div></div>`,
    script: draft.begin(
      `setTimeout(() => { byId('${place}').innerHTML = ${JSON.stringify(draft.header() + draft.content(pieces))}; }, ${draft.int(500, 2_500)});`,
    ),
    pieces,
  });
}

/** Spinners without a telling name. */
export const SPINNERS = {
  'a ring that turns': ring,
  'an SVG that turns': circle,
  'an SVG with an animation of its own': animatedSvg,
  'dots that bounce': dots,
  'a cover that fades': cover,
  'a ring and nothing else': alone,
} as const;
