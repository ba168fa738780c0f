import type { Draft, LoadingPage } from './draft.js';

/** Only a page whose scripts have set a timer is waited for because of its empty places. */
const TIMER = 'setTimeout(() => undefined, 10);';

/** A whole page with a part that never stops. */
function decorated(draft: Draft, style: string, part: string, script = ''): LoadingPage {
  const article = draft.article();
  const body = draft.chance(0.5) ? `${part}${article}` : `${article}${part}`;
  return draft.completePage({ style, body, script: script && draft.begin(script), pieces: 1 });
}

/** A small page with a part that never stops. */
function small(draft: Draft, style: string, part: string, script = ''): LoadingPage {
  const body = `${draft.header()}<p>${draft.swatch} ${draft.sentence(6, 16)}</p>${part}`;
  return draft.completePage({ style, body, script: script && draft.begin(script), pieces: 1 });
}

const either = (draft: Draft): typeof small => (draft.chance(0.5) ? small : decorated);

function clock(draft: Draft): LoadingPage {
  const place = draft.hash();
  const every = draft.pick([1_000, 1_000, 500, 100, 33]);
  const script = `const tick = () => { byId('${place}').textContent = new Date().toISOString(); }; setInterval(tick, ${every}); tick();`;
  return either(draft)(draft, '', `<p id="${place}"></p>`, script);
}

function ticker(draft: Draft): LoadingPage {
  const [name, inner] = [draft.hash(), draft.hash()];
  const style = `.${name} { overflow: hidden; white-space: nowrap } .${inner} { display: inline-block; animation: ${inner} ${draft.int(8, 20)}s linear infinite } @keyframes ${inner} { to { transform: translateX(-50%) } }`;
  return either(draft)(
    draft,
    style,
    `<div class="${name}"><div class="${inner}">${draft.sentence(30, 40)}</div></div>`,
  );
}

/** A band of logos, each a background. */
function logos(draft: Draft): LoadingPage {
  const [name, inner, logo] = [draft.hash(), draft.hash(), draft.hash()];
  const svg = encodeURIComponent(
    '<svg xmlns="http://www.w3.org/2000/svg"><circle cx="20" cy="20" r="15" fill="#777"/></svg>',
  );
  const style = `.${name} { overflow: hidden; width: 900px } .${inner} { display: flex; gap: 40px; width: 1800px; animation: ${inner} ${draft.int(10, 30)}s linear infinite } .${logo} { width: 120px; height: 40px; background: url("data:image/svg+xml,${svg}") } @keyframes ${inner} { to { transform: translateX(-50%) } }`;
  return either(draft)(
    draft,
    style,
    `<div class="${name}"><div class="${inner}">${`<div class="${logo}"></div>`.repeat(12)}</div></div>`,
  );
}

function scriptedMarquee(draft: Draft): LoadingPage {
  const place = draft.hash();
  const script = `let at = 0; const move = () => { at -= 1; byId('${place}').style.transform = 'translateX(' + at + 'px)'; requestAnimationFrame(move); }; move();`;
  return either(draft)(
    draft,
    '',
    `<div style="overflow: hidden"><div id="${place}">${draft.sentence(10, 20)}</div></div>`,
    script,
  );
}

function carousel(draft: Draft): LoadingPage {
  const place = draft.hash();
  const slides = [0, 1, 2].map(
    () =>
      `<div style="flex: 0 0 100%; height: 160px; background: ${draft.pick(['#cde', '#edc', '#dec'])}"><h2>${draft.words(3)}</h2></div>`,
  );
  const script = `let at = 0; setInterval(() => { at = (at + 1) % 3; byId('${place}').style.transform = 'translateX(-' + at * 100 + '%)'; }, ${draft.int(900, 3_000)});`;
  return either(draft)(
    draft,
    `#${place} { display: flex; transition: transform 0.4s }`,
    `<div style="overflow: hidden"><div id="${place}">${slides.join('')}</div></div>`,
    script,
  );
}

function counters(draft: Draft): LoadingPage {
  const place = draft.hash();
  const script = `let count = ${draft.int(900, 99_000)}; setInterval(() => { count += 1; byId('${place}').textContent = count.toLocaleString('en'); }, ${draft.pick([50, 100, 300, 1_000])});`;
  return either(draft)(
    draft,
    '',
    `<p>${draft.words(2)}: <b id="${place}">${draft.int(100, 900)}</b></p>`,
    script,
  );
}

/** Dots that pulse beside those who are present. */
function presence(draft: Draft): LoadingPage {
  const name = draft.hash();
  const size = draft.int(8, 14);
  const style = `.${name} { display: inline-block; width: ${size}px; height: ${size}px; border-radius: 50%; background: ${draft.pick(['#22c55e', '#9ca3af', '#ef4444'])}; animation: ${name} 1.6s ease-in-out infinite } @keyframes ${name} { 50% { opacity: 0.3; transform: scale(0.8) } }`;
  const people = Array.from(
    { length: draft.int(3, 9) },
    () => `<li><span class="${name}"></span> ${draft.words(2)}</li>`,
  );
  return either(draft)(draft, style, `<ul>${people.join('')}</ul>`, 'setInterval(() => undefined, 5_000);');
}

function cursor(draft: Draft): LoadingPage {
  const name = draft.hash();
  const style = `.${name} { display: inline-block; width: 10px; height: 18px; background: currentcolor; animation: ${name} 1s step-end infinite } @keyframes ${name} { 50% { opacity: 0 } }`;
  return either(draft)(draft, style, `<pre>$ ${draft.words(3)} <span class="${name}"></span></pre>`, TIMER);
}

/** The whole background, or that of a hero, changes its colours. */
function gradient(draft: Draft): LoadingPage {
  const name = draft.hash();
  const [one, two, three] = draft.pick([
    ['#ee7752', '#e73c7e', '#23a6d5'],
    ['#1e3c72', '#2a5298', '#6dd5ed'],
    ['#d9d9d9', '#f5f5f5', '#c4c4c4'],
  ]);
  const style = `.${name} { background: linear-gradient(-45deg, ${one}, ${two}, ${three}); background-size: 400% 400%; animation: ${name} ${draft.int(8, 20)}s ease infinite } @keyframes ${name} { 50% { background-position: 100% 50% } }`;
  const part = draft.pick([
    `<div class="${name}" style="position: absolute; inset: 0; z-index: -1"></div>`,
    `<div class="${name}" style="position: fixed; inset: 0; z-index: -1; pointer-events: none"></div>`,
    `<section class="${name}" style="padding: 60px"><h2>${draft.words(3)}</h2></section>`,
  ]);
  return either(draft)(draft, style, part, TIMER);
}

/** Coloured shapes float behind the content. */
function shapes(draft: Draft): LoadingPage {
  const name = draft.hash();
  const style = `.${name} { position: absolute; border-radius: 40%; filter: blur(20px); opacity: 0.4; z-index: -1; animation: ${name} 9s ease-in-out infinite alternate } @keyframes ${name} { to { transform: translate(60px, 40px) rotate(90deg) } }`;
  const each = Array.from(
    { length: draft.int(2, 5) },
    () =>
      `<div class="${name}" style="left: ${draft.int(0, 900)}px; top: ${draft.int(0, 500)}px; width: ${draft.int(80, 300)}px; height: ${draft.int(80, 300)}px; background: ${draft.pick(['#f0a', '#0af', '#fa0', '#aaa'])}"></div>`,
  );
  return either(draft)(draft, style, each.join(''), TIMER);
}

function videoProgress(draft: Draft): LoadingPage {
  const place = draft.hash();
  const script = `let at = 0; setInterval(() => { at += 0.2; byId('${place}').style.width = at + '%'; }, ${draft.int(50, 250)});`;
  return either(draft)(
    draft,
    `#${place} { height: 6px; background: #e11; width: 1% }`,
    `<div style="width: 480px; height: 270px; background: #222; color: #fff"><p>${draft.words(3)}</p></div><div style="width: 480px; background: #ccc"><div id="${place}"></div></div>`,
    script,
  );
}

/** A chat's socket, or that of a development server, which is silent. */
function silentSocket(draft: Draft): LoadingPage {
  const open = draft.pick([
    "new WebSocket(location.origin.replace('http', 'ws') + '/socket?plan=[]')",
    "new EventSource('/events?plan=[]')",
  ]);
  const chat = `<div style="position: fixed; right: 20px; bottom: 20px; width: 56px; height: 56px; border-radius: 50%; background: #37f"></div>`;
  return either(draft)(draft, '', draft.chance(0.5) ? chat : '', `globalThis.kept = ${open};`);
}

/** Lines of a log, in a box or at the end of the page. */
function log(draft: Draft): LoadingPage {
  const place = draft.hash();
  const every = draft.int(300, 900);
  const script = `const log = byId('${place}'); setInterval(() => { log.textContent += new Date().toISOString() + ' ' + ${JSON.stringify(draft.words(6))} + '\\n'; log.scrollTop = 1e6; }, ${every});`;
  return either(draft)(
    draft,
    '',
    `<pre id="${place}" style="height: 160px; overflow: auto">${`${draft.words(8)}\n`.repeat(12)}</pre>`,
    script,
  );
}

/** The newest item comes on top, and the oldest one goes. */
function feed(draft: Draft): LoadingPage {
  const place = draft.hash();
  const keeps = draft.chance(0.5);
  const items = Array.from({ length: 8 }, () => `<li>${draft.words(5)}</li>`);
  const script = `setInterval(() => { const item = document.createElement('li'); item.textContent = ${JSON.stringify(draft.words(5))}; byId('${place}').prepend(item); ${keeps ? '' : `byId('${place}').lastChild.remove();`} }, ${draft.int(500, 1_500)});`;
  return either(draft)(
    draft,
    '',
    `<ul id="${place}" style="height: 200px; overflow: hidden">${items.join('')}</ul>`,
    script,
  );
}

/** Bars that follow the music. */
function equalizer(draft: Draft): LoadingPage {
  const name = draft.hash();
  const style = `.${name} { display: inline-block; width: 4px; height: 24px; margin: 1px; background: ${draft.pick(['#1db954', '#888'])}; transform-origin: bottom; animation: ${name} 0.9s ease-in-out infinite alternate } @keyframes ${name} { from { transform: scaleY(0.2) } }`;
  const bars = Array.from(
    { length: draft.int(3, 6) },
    (_, at) => `<i class="${name}" style="animation-delay: -${at * 0.2}s"></i>`,
  );
  return either(draft)(draft, style, `<p>${draft.words(4)} ${bars.join('')}</p>`, TIMER);
}

/** A button that wants to be pressed, and a badge. */
function button(draft: Draft): LoadingPage {
  const name = draft.hash();
  const style = `.${name} { padding: 16px 40px; border: 0; background: linear-gradient(90deg, #36d, #69f, #36d); background-size: 200%; color: #fff; animation: ${name} 2s linear infinite } @keyframes ${name} { to { background-position: 200% 0 } }`;
  return either(draft)(draft, style, `<button class="${name}">${draft.words(2)}</button>`, TIMER);
}

/** A picture that slowly grows. */
function hero(draft: Draft): LoadingPage {
  const name = draft.hash();
  const svg = encodeURIComponent(
    '<svg xmlns="http://www.w3.org/2000/svg" width="800" height="300"><rect width="800" height="300" fill="#789"/><circle cx="200" cy="150" r="90" fill="#fed"/></svg>',
  );
  const style = `.${name} { height: 240px; background: url("data:image/svg+xml,${svg}") center / cover; animation: ${name} 12s infinite alternate } @keyframes ${name} { to { transform: scale(1.1) } }`;
  return either(draft)(
    draft,
    style,
    `<div style="overflow: hidden"><div class="${name}"></div></div>`,
    TIMER,
  );
}

/** A hint at the end of the first screen that there is more below. */
function scrollHint(draft: Draft): LoadingPage {
  const name = draft.hash();
  const style = `.${name} { width: 24px; height: 40px; margin: 20px auto; border: 2px solid #999; border-radius: 12px } .${name}::before { content: ''; display: block; width: 4px; height: 8px; margin: 6px auto; background: #999; animation: ${name} 1.5s infinite } @keyframes ${name} { to { transform: translateY(14px); opacity: 0 } }`;
  const body = `<section style="height: 90vh; display: grid; align-content: center; justify-items: center"><h1>${draft.words(3)}</h1>${draft.swatch}<div class="${name}"></div></section><section>${draft.article(5)}</section>`;
  return draft.completePage({
    style,
    body,
    script: draft.begin(TIMER),
    pieces: 1,
  });
}

/** Particles on a canvas behind the content. */
function particles(draft: Draft): LoadingPage {
  const place = draft.hash();
  const script = `const canvas = byId('${place}'); canvas.width = innerWidth; canvas.height = innerHeight; const context = canvas.getContext('2d');
    const draw = (at) => { context.clearRect(0, 0, innerWidth, innerHeight); context.fillStyle = '#9ab'; for (let i = 0; i < 40; i += 1) context.fillRect((i * 97 + at / 20) % innerWidth, (i * 61 + at / 30) % innerHeight, 3, 3); requestAnimationFrame(draw); };
    requestAnimationFrame(draw);`;
  return either(draft)(
    draft,
    `#${place} { position: fixed; inset: 0; z-index: -1 }`,
    `<canvas id="${place}"></canvas>`,
    script,
  );
}

/** A headline that types and deletes one word after the other. */
function loopingText(draft: Draft): LoadingPage {
  const place = draft.hash();
  const script = `const words = ${JSON.stringify([0, 1, 2].map(() => draft.words(1)))}; let w = 0, n = 3, way = 1;
    setInterval(() => { n += way; if (n > words[w].length + 8) way = -1; if (n === 0) { way = 1; w = (w + 1) % 3; } byId('${place}').textContent = words[w].slice(0, n); }, ${draft.int(60, 120)});`;
  return either(draft)(draft, '', `<h2>We make <span id="${place}">${draft.words(1)}</span></h2>`, script);
}

/** Empty elements that scripts may fill some day: dialogs, toasts, results. */
function emptyPlaces(draft: Draft): LoadingPage {
  const places = `<ul id="${draft.hash()}"></ul><div class="${draft.name()}" style="display: flex; gap: 8px"></div>`;
  return draft.completePage({
    body: `<main>${draft.article()}</main>${places}<div id="${draft.hash()}"></div>`,
    script: draft.begin(TIMER),
    pieces: 1,
  });
}

/** An app whose list is empty, under the field in which its first item is entered. */
function emptyList(draft: Draft): LoadingPage {
  return draft.completePage({
    body: `<section><header><h1>${draft.words(1)}</h1>${draft.swatch}<input placeholder="${draft.words(3)}"></header><ul id="${draft.hash()}"></ul></section>`,
    script: draft.begin(TIMER),
    pieces: 1,
  });
}

/** Pages that are complete when they have loaded, most of which never become quiet. */
export const ENDLESS = {
  'a clock': clock,
  'a ticker': ticker,
  'a band of logos': logos,
  'a marquee by script': scriptedMarquee,
  'a carousel': carousel,
  'live counters': counters,
  'dots of presence': presence,
  'a blinking cursor': cursor,
  'a background that changes': gradient,
  'shapes that float': shapes,
  'the progress of a video': videoProgress,
  'a socket that is silent': silentSocket,
  'a log': log,
  'a feed': feed,
  'bars that follow music': equalizer,
  'a button that shines': button,
  'a picture that grows': hero,
  'a hint to scroll': scrollHint,
  'particles on a canvas': particles,
  'a headline that types endlessly': loopingText,
  'places that stay empty': emptyPlaces,
  'a list without items': emptyList,
} as const;
