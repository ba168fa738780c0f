import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Capturing, type Picture } from '../../../../test/support/capturing.js';
import { browsersOf } from '../../../../test/support/processes.js';

const RED = 'ff0000';
const GREEN = '00ff00';
/** Only what happens after the load is tested here. */
const LOADED = { wait_until: 'load' } as const;

let capturing: Capturing;
beforeAll(async () => {
  capturing = await Capturing.open();
});
afterAll(() => capturing.close());

/** The colours of the sections of entering.html. */
function sectionsOf(picture: Picture): string[] {
  return Array.from({ length: 12 }, (_, section) => picture.colourAt(640, section * 600 + 300));
}

describe('content that loads when it is scrolled to', () => {
  it.each(['fetch', 'background', 'growth', 'fade', 'animate'])(
    'is all on a full page: by %s',
    async (by) => {
      const picture = await capturing.picture(`/entering.html?by=${by}`, { ...LOADED, full_page: true });
      expect([picture.height, ...sectionsOf(picture)]).toEqual([7_200, ...Array<string>(12).fill(GREEN)]);
      expect(picture.captured.facts.complete).toBe(true);
    },
  );

  it.each(['fetch', 'fade'])('is there where the page is scrolled to: by %s', async (by) => {
    const options = { ...LOADED, scroll_to_selector: 'section:last-child' };
    expect((await capturing.picture(`/entering.html?by=${by}`, options)).colourAt(640, 700)).toBe(GREEN);
  });

  it('is all on a full page whose browser draws rarely, as one that shares its cores', async () => {
    const [gpu] = browsersOf(process.pid).filter(({ command }) => command.includes('--type=gpu-process'));
    if (!gpu) throw new Error('The browser has no GPU process.');
    let isStopped = false;
    const toggle = setInterval(() => {
      isStopped = !isStopped;
      process.kill(gpu.pid, isStopped ? 'SIGSTOP' : 'SIGCONT');
    }, 150);
    try {
      const picture = await capturing.picture('/entering.html?by=animate', { ...LOADED, full_page: true });
      expect(sectionsOf(picture)).toEqual(Array<string>(12).fill(GREEN));
    } finally {
      clearInterval(toggle);
      process.kill(gpu.pid, 'SIGCONT');
    }
  });

  it('makes the capture incomplete when it never loads', async () => {
    const options = { ...LOADED, full_page: true, timeout_ms: 20_000 };
    const { facts } = await capturing.capture('/entering.html?by=hang', options);
    expect(facts).toMatchObject({ complete: false, pageHeight: 7_200 });
  });

  it('does not include endless animations and requests', async () => {
    const { facts } = await capturing.capture('/restless.html', { ...LOADED, full_page: true });
    // Waiting for them would end with the time for it, and make the capture incomplete.
    expect(facts).toMatchObject({ complete: true, height: 8_000 });
  });
});

describe('the requests that a click causes', () => {
  it('are awaited without a wait option', async () => {
    const html = `<body style="margin: 0"><div id="b" style="height: 800px; transition: background 0.4s; background: #ff0000"
      onclick="fetch('/slow?ms=300').then((answer) => answer.text()).then(() => { this.style.background = '#00ff00'; })">`;
    const options = { ...LOADED, html, base_url: capturing.site.url };
    expect((await capturing.picture(null, options)).colourAt(5, 700)).toBe(RED);
    expect((await capturing.picture(null, { ...options, click_selector: '#b' })).colourAt(5, 700)).toBe(
      GREEN,
    );
  });
});

describe('a chart that is drawn after the load', () => {
  it.each(['canvas', 'svg', 'transition', 'animation', 'chain'])('is whole: %s', async (by) => {
    const picture = await capturing.picture(`/charts.html?by=${by}`, LOADED);
    expect([100, 399].map((y) => picture.colourAt(5, y))).toEqual([GREEN, GREEN]);
  });

  it('is captured as it is when it never stops', async () => {
    const html = `<canvas width="400" height="400"></canvas><script>
      const context = document.querySelector('canvas').getContext('2d');
      let turn = 0;
      const draw = () => {
        context.fillStyle = ++turn % 2 ? '#ff0000' : '#00ff00';
        context.fillRect(0, 0, 400, 400);
        requestAnimationFrame(draw);
      };
      draw();</script>`;
    expect([RED, GREEN]).toContain((await capturing.picture(null, { html })).colourAt(100, 100));
  });
});
