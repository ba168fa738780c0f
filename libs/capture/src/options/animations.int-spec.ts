import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CaptureOptions } from '@app/capture';
import { Capturing, Picture, withFirstFile, type Captured } from '../../../../test/support/capturing.js';

const GREEN = '00ff00';
/** What animates has ended for long by then. */
const LATER = { animations: 'allow', delay_ms: 3_000 } as const;

let capturing: Capturing;
beforeAll(async () => {
  capturing = await Capturing.open();
});
afterAll(() => capturing.close());

function tookOf({ timings }: Captured): number {
  return (timings.settle_ms ?? 0) + (timings.render_ms ?? 0);
}

async function textOf(html: string, options: Partial<CaptureOptions> = {}): Promise<string> {
  const given = { html, base_url: capturing.site.url, format: 'text', content: 'full', ...options } as const;
  const { bytes } = await capturing.capture(null, given);
  return Buffer.from(bytes).toString('utf8').trim();
}

/** A page that draws a bar by script for a second of its time, and calls `end` then. */
const drawing = (end: string) => `<p id="out">waits</p><canvas width="400" height="400"></canvas><script>
  const out = document.getElementById('out');
  const context = document.querySelector('canvas').getContext('2d');
  context.fillStyle = '#00ff00';
  const start = performance.now();
  const draw = () => {
    const share = Math.min(1, (performance.now() - start) / 1000);
    context.fillRect(0, 0, 400, 400 * share);
    if (share < 1) requestAnimationFrame(draw);
    else { ${end} }
  };
  requestAnimationFrame(draw);
</script>`;

describe('what a library animates', () => {
  it.each(['chartjs', 'gsap'])(
    'is captured as it is after seconds, sooner than it ends: %s',
    async (library) => {
      const page = `/animated.html?library=${library}`;
      const later = await capturing.capture(page, LATER);
      const finished = await capturing.capture(page);
      expect(Buffer.compare(finished.bytes, later.bytes)).toBe(0);
      expect(tookOf(finished)).toBeLessThan(tookOf(later) - LATER.delay_ms + 1_000);
    },
  );

  it('is captured as it is when it never ends', async () => {
    const { facts } = await capturing.capture('/animated.html?library=gsap&endless');
    expect(facts).toMatchObject({ complete: true });
  });
});

describe('a transition or an animation of CSS', () => {
  it.each(['transition', 'animation', 'chain'])(
    'has ended, also without scripts around it: %s',
    async (by) => {
      const picture = await capturing.picture(`/charts.html?by=${by}`);
      expect([100, 399].map((y) => picture.colourAt(5, y))).toEqual([GREEN, GREEN]);
    },
  );

  it('has ended in a page without scripts', async () => {
    const html = `<style>body { margin: 0 } div { height: 400px; background: #ff0000; animation: grow 0.5s 0.5s both }
      @keyframes grow { to { background: #00ff00 } }</style><div></div>`;
    expect((await capturing.picture(null, { html, javascript: false })).colourAt(100, 100)).toBe(GREEN);
  });
});

describe('a chart in a frame', () => {
  const around = (host: string) => {
    const to = `${capturing.site.url.replace('127.0.0.1', host)}/animated.html?library=chartjs`;
    return `/around?to=${encodeURIComponent(to)}`;
  };

  it.each(['localhost'])('is finished: on %s', async (host) => {
    const later = await capturing.capture(around(host), LATER);
    const finished = await capturing.capture(around(host));
    expect(Buffer.compare(finished.bytes, later.bytes)).toBe(0);
  });
});

describe('the time of a page whose animations are finished', () => {
  it('passes faster than real time, in order, and by one clock', async () => {
    const html = drawing(`out.textContent = JSON.stringify(seen)`).replace(
      'const draw = () => {',
      `const seen = { frames: 0, back: 0, apart: 0 };
       const look = () => [performance.now(), Date.now() - performance.timeOrigin, +new Date() - performance.timeOrigin];
       let last = look();
       let lastFrame = 0;
       const draw = (at) => {
         const now = look();
         seen.frames += 1;
         if (now.some((each, i) => each < last[i]) || at < lastFrame || at > now[0]) seen.back += 1;
         if (Math.max(...now) - Math.min(...now) > 50) seen.apart += 1;
         [last, lastFrame] = [now, at];`,
    );
    const seen = JSON.parse((await textOf(html)).split('\n')[0] ?? '') as Record<string, number>;
    expect(seen).toEqual({ frames: expect.any(Number), back: 0, apart: 0 });
  });

  it('leaves the date at most two seconds ahead, and never behind', async () => {
    const before = Date.now();
    const text = await textOf(drawing(`out.textContent = Date.now()`));
    expect(Number(text)).toBeGreaterThanOrEqual(before);
    expect(Number(text)).toBeLessThanOrEqual(Date.now() + 2_000);
  });

  it('runs timers in their order between frames, and interval and date agree', async () => {
    const html = drawing(`out.textContent = order.join()`).replace(
      'const draw',
      `const order = [];
       setTimeout(() => order.push('c'), 700);
       setTimeout(() => order.push('a'), 150);
       const tick = setInterval(() => (order.push('b'), clearInterval(tick)), 400);
       clearTimeout(setTimeout(() => order.push('never'), 300));
       const draw`,
    );
    expect(await textOf(html)).toBe('a,b,c');
  });

  it('is real while something loads, so that nothing times out', async () => {
    const html = drawing('').replace(
      'const draw',
      `setTimeout(async () => {
         const late = new Promise((resolve) => setTimeout(resolve, 900, 'late'));
         const loaded = fetch('/slow?ms=400').then((answer) => answer.ok && 'loaded');
         out.textContent = await Promise.race([loaded, late]);
       }, 300);
       const draw`,
    );
    expect(await textOf(html)).toBe('loaded');
  });

  it('is real while a caller waits', async () => {
    const options = {
      wait_for_function: '(window.since ??= performance.now(), performance.now() - since > 600)',
    };
    const { timings } = await capturing.capture('/animated.html?library=d3', options);
    expect(timings.settle_ms).toBeGreaterThan(600);
  });

  it('has functions that look like those of the browser', async () => {
    const html = `<p id="out"></p><script>
      const owners = { window, Date, performance: Performance.prototype, event: Event.prototype, text: Function.prototype };
      const names = ['requestAnimationFrame', 'cancelAnimationFrame', 'setTimeout', 'setInterval', 'clearTimeout',
        'clearInterval', 'Date', 'now', 'timeStamp', 'toString'];
      const seen = Object.entries(owners).flatMap(([owner, object]) => names.map((name) => {
        const { value, get, ...flags } = Object.getOwnPropertyDescriptor(object, name) ?? {};
        const native = value ?? get;
        let error = '';
        try { new native(); } catch ({ message }) { error = message; }
        return native && [owner, name, String(native), Function.prototype.toString.call(native), native.name,
          native.length, Object.getOwnPropertyNames(native).join(), JSON.stringify(flags), error].join(' ');
      }));
      const frame = document.body.appendChild(document.createElement('iframe')).contentWindow;
      seen.push(frame.Function.prototype.toString.call(setTimeout), Object.keys(window).join(),
        Object.getOwnPropertyNames(window).length, new Date().constructor === Date, new Date() instanceof Date);
      document.body.replaceChildren(out);
      document.getElementById('out').textContent = seen.filter(Boolean).join(' ');
    </script>`;
    expect(await textOf(html)).toBe(await textOf(html, { animations: 'allow' }));
  });
});

describe('animations: freeze', () => {
  it.each(['canvas', 'svg', 'transition'])('captures a chart before it is drawn: %s', async (by) => {
    const picture = await capturing.picture(`/charts.html?by=${by}`, { animations: 'freeze' });
    expect(picture.colourAt(5, 399)).not.toBe(GREEN);
  });

  it('calls back neither frames nor timers', async () => {
    const html = `<p id="out">0</p><script>
      const out = document.getElementById('out');
      let count = 0;
      setInterval(() => (out.textContent = ++count), 50);
    </script>`;
    const [held, free] = [await textOf(html, { animations: 'freeze' }), await textOf(html, LATER)];
    expect(Number(held)).toBeLessThan(Number(free));
  });

  it('lets a page take another window', async () => {
    const html = `<body style="margin: 0"><div id="box" style="height: 100px"></div><p>Text<script>
      const paint = () => requestAnimationFrame(() => (box.style.background = innerWidth < 600 ? '#00ff00' : '#ff0000'));
      onresize = paint;
      paint();
    </script>`;
    const outputs = [{ name: 'wide' }, { name: 'narrow', viewport_width: 500 }];
    const given = { html, animations: 'freeze', outputs } as unknown as Partial<CaptureOptions>;
    const captured = await capturing.capture(null, given);
    const [, narrow] = captured.files;
    if (!narrow) throw new Error('There is no second output.');
    const picture = await Picture.fromCapture(withFirstFile({ ...captured, files: [narrow] }));
    expect(picture.colourAt(10, 10)).toBe(GREEN);
  });
});

describe('animations: allow', () => {
  it('waits for what ends soon', async () => {
    const picture = await capturing.picture('/charts.html?by=transition', { animations: 'allow' });
    expect(picture.colourAt(5, 399)).toBe(GREEN);
  });
});
