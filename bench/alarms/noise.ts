/** What real pages show that nobody wants to hear of: each of these differs at every request. */
const NOISE: readonly (() => string)[] = [
  clock,
  shuffledCards,
  advertisements,
  carousel,
  visitorCounter,
  watchers,
  sparkline,
  ticker,
];

/** How many kinds of noise there are; a page has three of them. */
export const KINDS = NOISE.length;

/** The part of a page in which all noise is, from the top, in px. */
export const NOISE_HEIGHT = 260;

/** The noise of one request to the page with this number. */
export function noiseOf(page: number): string {
  const parts = [0, 3, 5].map((step) => NOISE[(page + step) % KINDS]?.() ?? '');
  return `<div style="position: absolute; left: 0; top: 0; width: 1000px; height: ${NOISE_HEIGHT}px; overflow: hidden; background: #fff">
    ${parts.join('\n')}</div><div style="height: ${NOISE_HEIGHT}px"></div>`;
}

const CARDS = ['Tents', 'Stoves', 'Boots', 'Maps', 'Ropes', 'Lamps', 'Packs', 'Knives'];
const HUES = [10, 45, 80, 120, 160, 200, 230, 260, 290, 320, 340, 355];
let visitors = 1_204_331;

function randomBelow(limit: number): number {
  return Math.floor(Math.random() * limit);
}

/** Where the clock stands, in px: the monitor ignores it by its selector. */
export const CLOCK = { x: 0, y: 0, width: 220, height: 30 } as const;

/** The server writes the time. */
function clock(): string {
  const time = new Date().toISOString().slice(11, 19);
  const { width, height } = CLOCK;
  return `<div class="clock" style="position: absolute; left: 0; top: 0; width: ${width}px; height: ${height}px;
    background: #fff; font: 24px monospace">${time} UTC</div><div style="height: ${height}px"></div>`;
}

function shuffledCards(): string {
  const shuffled = CARDS.map((card) => ({ card, at: Math.random() })).sort((a, b) => a.at - b.at);
  const cells = shuffled.map(
    ({ card }) =>
      `<div style="width: 110px; height: 50px; background: #eef">${card}<br>from €${card.length * 9}</div>`,
  );
  return `<div style="display: flex; gap: 8px; height: 50px">${cells.join('')}</div>`;
}

function advertisements(): string {
  const slot = (): string => {
    const hue = HUES[randomBelow(HUES.length)] ?? 0;
    return `<div style="width: 320px; height: 90px; color: #fff; font: 22px sans-serif;
      background: linear-gradient(90deg, hsl(${hue} 70% 40%), hsl(${hue + 40} 70% 60%))">Offer ${hue}: save ${hue % 50} %</div>`;
  };
  return `<div style="display: flex; gap: 20px; height: 90px">${slot()}${slot()}</div>`;
}

/** The server chooses the first of six slides, and a script goes on to the others. */
function carousel(): string {
  const first = randomBelow(6);
  return `<div id="slide" style="width: 700px; height: 100px; font: 30px serif"></div><script>
    let slide = ${first};
    const show = () => {
      const box = document.getElementById('slide');
      box.style.background = 'hsl(' + slide * 60 + ' 50% 70%)';
      box.textContent = 'Slide ' + (slide + 1) + ': ' + ['spring', 'summer', 'autumn', 'winter', 'sale', 'news'][slide];
      slide = (slide + 1) % 6;
    };
    show();
    setInterval(show, 700);
  </script>`;
}

function visitorCounter(): string {
  visitors += 1 + randomBelow(30);
  return `<div style="height: 24px">${visitors.toLocaleString('en')} visitors</div>`;
}

function watchers(): string {
  return `<div style="height: 24px">${2 + randomBelow(40)} people are looking at this right now</div>`;
}

function sparkline(): string {
  const points = Array.from({ length: 40 }, (_, x) => `${x * 8},${randomBelow(40)}`).join(' ');
  return `<svg width="320" height="44"><polyline points="${points}" fill="none" stroke="#2a7" stroke-width="2"/></svg>`;
}

/** A text that runs through, a clock of the browser, and a time that the server says in words. */
function ticker(): string {
  return `<style>@keyframes run { from { transform: translateX(0) } to { transform: translateX(400px) } }</style>
    <div style="height: 24px; overflow: hidden; width: 700px"><span style="display: inline-block; animation: run 5s linear infinite">
      Breaking: the ferry is back</span></div>
    <div style="height: 24px; width: 400px">Updated ${1 + randomBelow(59)} seconds ago, at <span id="now"></span></div>
    <script>setInterval(() => { document.getElementById('now').textContent = new Date().toLocaleTimeString('en') }, 100)</script>`;
}
