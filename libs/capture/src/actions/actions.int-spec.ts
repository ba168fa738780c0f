import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CaptureOptions } from '@app/capture';
import { Capturing, type Captured } from '../../../../test/support/capturing.js';

let capturing: Capturing;

beforeAll(async () => {
  capturing = await Capturing.open();
});
afterAll(() => capturing.close());

type Steps = CaptureOptions['actions'];

const FORM = '/actions/form.html';
const DOORS = '/actions/doors.html';

/** As a request states them: the defaults are filled in. */
async function after(
  page: string | null,
  steps: object[],
  more: Partial<CaptureOptions> = {},
): Promise<Captured> {
  return capturing.capture(page, { actions: steps as Steps, wait_until: 'load', ...more });
}

async function titleAfter(page: string, ...steps: object[]): Promise<string | null> {
  return (await after(page, steps)).facts.title;
}

/** The value of an expression after the steps. */
async function valueAfter(expression: string, ...steps: object[]): Promise<string | null> {
  const report = { type: 'wait', function: `(document.title = String(${expression}), true)` };
  return titleAfter(FORM, ...steps, report);
}

async function problemOf(step: object, page = FORM): Promise<string> {
  const error = await capturing.failure(page, {
    actions: [{ timeout_ms: 400, ...step }] as Steps,
    wait_until: 'load',
  });
  expect(error.code).toBe('action_failed');
  const [fault] = error.facts.errors ?? [];
  expect(fault?.pointer).toBe('/actions/0');
  return `${fault?.code ?? ''}: ${fault?.detail ?? ''}`;
}

describe('clicks', () => {
  it('click once, several times, and with another button', async () => {
    expect(await titleAfter(FORM, { type: 'click', selector: '#plain', times: 2 })).toBe(
      'click:plain click:plain',
    );
    expect(await titleAfter(FORM, { type: 'click', selector: '#plain', button: 'right' })).toBe(
      'contextmenu:plain',
    );
  });

  it('scroll to what is below the window, and clear of what is pinned to its edge', async () => {
    expect(await titleAfter(FORM, { type: 'click', selector: '#below' })).toBe('click:below');
  });

  it.each([
    ['text/Sign in', 'click:plain'],
    ['aria/Sign in', 'click:plain'],
    ['aria/Sign in[role="button"]', 'click:plain'],
    ['::-p-xpath(//button[.="Sign in"])', 'click:plain'],
    ['div::-p-text(Sign in)', 'click:plain'],
    ['my-login >>> button', 'shadow click:'],
    ['my-login >>>> #inner', 'shadow click:'],
    ['text/Open the door', 'shadow click:'],
    ['pierce/#inner', 'shadow click:'],
  ])('find the element by %s', async (selector, title) => {
    const seen = await titleAfter(FORM, { type: 'click', selector });
    expect(seen).toBe(title === 'click:plain' ? title : 'shadow');
  });

  it('say what is there instead of an element that can be clicked', async () => {
    expect(await problemOf({ type: 'click', selector: '#nowhere' })).toMatch(
      /^no_element: .*#nowhere, but nothing on the page matches$/,
    );
    expect(await problemOf({ type: 'click', selector: '#hidden' })).toMatch(/^hidden: .*not displayed$/);
    expect(await problemOf({ type: 'click', selector: '#off' })).toMatch(/^disabled: .*disabled$/);
    expect(await problemOf({ type: 'click', selector: '#covered' })).toMatch(
      /^covered: .*it is covered by <div id="veil" class="veil">$/,
    );
    expect(await problemOf({ type: 'click', selector: '#moving' })).toMatch(/^moving: /);
    expect(await problemOf({ type: 'click', selector: ':unheard-of(x)' })).toMatch(/^unknown_selector: /);
  });

  it('wait for an element that comes later', async () => {
    expect(
      await titleAfter(DOORS, { type: 'click', selector: '#later' }, { type: 'click', selector: '#new' }),
    ).toBe('new');
  });

  it('end in time on a page whose handler never returns', async () => {
    const error = await capturing.failure(DOORS, {
      actions: [{ type: 'click', selector: '#loop', timeout_ms: 300 }] as Steps,
      timeout_ms: 10_000,
    });
    expect(error.code).toBe('action_failed');
    expect(error.facts.errors?.[0]?.code).toBe('not_in_time');
  });
});

describe('hover', () => {
  it('leaves the pointer on the element for the picture', async () => {
    const picture = await capturing.picture(FORM, {
      actions: [{ type: 'hover', selector: '#hover' }] as Steps,
      selector: '#hover',
    });
    expect(picture.colourAt(5, 5).slice(0, 6)).toBe('00ff00');
  });
});

describe('fill', () => {
  it('replaces the text of a field by typing', async () => {
    expect(
      await valueAfter(
        `[document.getElementById('name').value, document.getElementById('name').dataset.inputs]`,
        { type: 'fill', selector: '#name', value: 'Ada' },
      ),
    ).toBe('Ada,4');
    expect(
      await valueAfter(`document.getElementById('notes').value`, {
        type: 'fill',
        selector: '#notes',
        value: 'two\nlines',
      }),
    ).toBe('two lines');
    expect(
      await valueAfter(`document.getElementById('edit').textContent`, {
        type: 'fill',
        selector: '#edit',
        value: 'new',
      }),
    ).toBe('new');
    expect(
      await valueAfter(`document.getElementById('day').value`, {
        type: 'fill',
        selector: '#day',
        value: '2026-01-31',
      }),
    ).toBe('2026-01-31');
    expect(
      await valueAfter(`document.getElementById('name').value === ''`, {
        type: 'fill',
        selector: '#name',
        value: '',
      }),
    ).toBe('true');
    expect(
      await valueAfter(`document.getElementById('name').value`, {
        type: 'fill',
        selector: 'text/Name',
        value: 'by label',
      }),
    ).toBe('by label');
  });

  it('refuses what takes no text', async () => {
    expect(await problemOf({ type: 'fill', selector: '#plain', value: 'x' })).toMatch(/^wrong_element: /);
    expect(await problemOf({ type: 'fill', selector: '#readonly', value: 'x' })).toMatch(/^read_only: /);
    expect(await problemOf({ type: 'fill', selector: '#day', value: 'soon' })).toMatch(
      /^wrong_element: .*2026-01-31$/,
    );
  });
});

describe('select', () => {
  it('selects by value or label, several where the element takes them', async () => {
    const value = `document.getElementById('country').value`;
    expect(await valueAfter(value, { type: 'select', selector: '#country', values: ['de'] })).toBe('de');
    expect(await valueAfter(value, { type: 'select', selector: '#country', values: ['Germany'] })).toBe('de');
    const many = `[...document.getElementById('many').selectedOptions].map((o) => o.value)`;
    expect(await valueAfter(many, { type: 'select', selector: '#many', values: ['a', 'c'] })).toBe('a,c');
    expect(await titleAfter(FORM, { type: 'select', selector: '#country', values: ['de'] })).toBe(
      'change:country',
    );
  });

  it('says which option is missing', async () => {
    expect(await problemOf({ type: 'select', selector: '#country', values: ['es'] })).toMatch(
      /^no_option: .* es$/,
    );
    expect(await problemOf({ type: 'select', selector: '#country', values: ['xx'] })).toMatch(/^no_option: /);
    expect(await problemOf({ type: 'select', selector: '#country', values: ['de', 'fr'] })).toMatch(
      /^wrong_element: /,
    );
    expect(await problemOf({ type: 'select', selector: '#name', values: ['de'] })).toMatch(
      /^wrong_element: /,
    );
  });
});

describe('check', () => {
  it('clicks a box only when it is not as asked', async () => {
    expect(
      await titleAfter(FORM, { type: 'check', selector: '#terms' }, { type: 'check', selector: '#terms' }),
    ).toBe('click:terms change:terms');
    expect(await titleAfter(FORM, { type: 'check', selector: '#terms', checked: false })).toBeNull();
    expect(await titleAfter(FORM, { type: 'check', selector: '#switch' })).toBe('click:switch');
  });

  it('says when the box does not follow', async () => {
    expect(await problemOf({ type: 'check', selector: '#name' })).toMatch(/^wrong_element: /);
  });
});

describe('press', () => {
  it('presses keys, also with others held, and submits a form', async () => {
    expect(await titleAfter(FORM, { type: 'press', key: 'ArrowDown' })).toBe('key:ArrowDown');
    expect(await titleAfter(FORM, { type: 'press', selector: '#name', key: 'Control+a' })).toBe(
      'key:ctrl-Control key:ctrl-a',
    );
    const { facts } = await after(FORM, [{ type: 'press', selector: '#name', key: 'Enter' }]);
    expect(facts.finalUrl).toBe(`${capturing.site.url}/echo?name=old`);
  });
});

describe('scroll', () => {
  it('scrolls the page by a distance, to its ends, and to an element', async () => {
    const y = 'Math.round(scrollY)';
    expect(await valueAfter(y, { type: 'scroll', by: 250 })).toBe('250');
    expect(await valueAfter(y, { type: 'scroll', by: 250 }, { type: 'scroll', to: 'top' })).toBe('0');
    expect(Number(await valueAfter(y, { type: 'scroll', to: 'bottom' }))).toBeGreaterThan(2_000);
    expect(Number(await valueAfter(y, { type: 'scroll', selector: '#below' }))).toBeGreaterThan(2_000);
    expect(
      await valueAfter(`document.getElementById('scroller').scrollTop`, {
        type: 'scroll',
        selector: '#scroller',
        by: 100,
      }),
    ).toBe('100');
  });
});

describe('wait', () => {
  it('waits for elements, expressions and the network', async () => {
    const opening = { type: 'click', selector: '#later' };
    expect(
      await titleAfter(DOORS, opening, { type: 'wait', selector: '#new' }, { type: 'wait', ms: 5 }),
    ).toBe('doors');
    expect(
      await titleAfter(
        DOORS,
        opening,
        { type: 'wait', selector: '#link', state: 'hidden' },
        { type: 'wait', idle: true },
      ),
    ).toBe('doors');
    expect(await problemOf({ type: 'wait', selector: '#new' }, DOORS)).toMatch(/^no_element: /);
    expect(await problemOf({ type: 'wait', selector: '#link', state: 'hidden' }, DOORS)).toMatch(
      /^not_in_time: /,
    );
    expect(await problemOf({ type: 'wait', function: 'false || 0 > 1' }, DOORS)).toMatch(/^not_in_time: /);
  });

  it('reports what a function throws', async () => {
    expect(await problemOf({ type: 'wait', function: 'nothing.there' }, DOORS)).toMatch(
      /nothing is not defined/,
    );
  });
});

describe('navigation', () => {
  it('opens pages, goes back and loads again', async () => {
    const { facts } = await after(DOORS, [{ type: 'click', selector: '#link' }]);
    expect(facts.finalUrl).toBe(`${capturing.site.url}${FORM}`);
    const back = await after(DOORS, [
      { type: 'navigate', url: `${capturing.site.url}${FORM}` },
      { type: 'back' },
      { type: 'reload' },
    ]);
    expect(back.facts.finalUrl).toBe(`${capturing.site.url}${DOORS}`);
    expect(back.facts.actions?.map(({ type, done }) => `${type} ${done}`)).toEqual([
      'navigate true',
      'back true',
      'reload true',
    ]);
    expect(await problemOf({ type: 'back' })).toMatch(/^nothing_to_go_back_to: /);
  });

  it('waits for a page that a click opens slowly, and for none after a click on a fragment', async () => {
    const { facts } = await after(DOORS, [
      { type: 'click', selector: '#hash' },
      { type: 'click', selector: '#slow' },
    ]);
    expect(facts.finalUrl).toContain('/slow');
  });

  it('adds the styles of the capture to each page', async () => {
    const { facts } = await after(
      DOORS,
      [
        { type: 'click', selector: '#link' },
        { type: 'wait', function: `getComputedStyle(document.body).color === 'rgb(1, 2, 3)'` },
      ],
      { css: 'body { color: rgb(1, 2, 3) }' },
    );
    expect(facts.actions).toHaveLength(2);
  });

  it('leaves the page as it is after a download', async () => {
    const { facts } = await after(DOORS, [{ type: 'click', selector: '#download' }]);
    expect(facts.title).toBe('doors');
  });

  it('captures the first window when a click opens another, and says so', async () => {
    const { facts } = await after(DOORS, [
      { type: 'click', selector: '#tab' },
      { type: 'wait', ms: 300 },
    ]);
    expect(facts.title).toBe('doors');
    expect(facts.actions?.[0]).toMatchObject({ type: 'click', done: true, opened_tabs: 1 });
  });

  it('fails as a first navigation does', async () => {
    const forbidden = await capturing.failure(DOORS, {
      actions: [{ type: 'navigate', url: 'http://10.0.0.1/' }] as Steps,
    });
    expect(forbidden.code).toBe('target_forbidden');
    const reset = await capturing.failure(DOORS, {
      actions: [{ type: 'navigate', url: `${capturing.site.url}/reset` }] as Steps,
    });
    expect(reset.code).toBe('target_connection_failed');
    const hung = await capturing.failure(DOORS, {
      actions: [{ type: 'navigate', url: `${capturing.site.url}/hang` }] as Steps,
      navigation_timeout_ms: 1_000,
    });
    expect(hung.code).toBe('capture_timeout');
  });
});

describe('dialogs', () => {
  it('are answered as a step says, once, and dismissed otherwise', async () => {
    const ask = { type: 'click', selector: '#ask' };
    expect(await titleAfter(DOORS, ask)).toBe('false');
    expect(await titleAfter(DOORS, { type: 'dialog', accept: true }, ask)).toBe('true');
    expect(await titleAfter(DOORS, { type: 'dialog' }, ask, ask)).toBe('false');
    expect(
      await titleAfter(DOORS, { type: 'dialog', text: 'Ada' }, { type: 'click', selector: '#prompt' }),
    ).toBe('Ada');
  });

  it('for files never open', async () => {
    expect(
      await titleAfter(FORM, { type: 'click', selector: '#file' }, { type: 'click', selector: '#plain' }),
    ).toBe('click:file click:plain');
  });
});

describe('frames', () => {
  const page = '/actions/frames.html';
  const settled = { type: 'wait', ms: 150 };

  it('are entered by their selector', async () => {
    const title = await titleAfter(page, { type: 'click', selector: '#plain', frame: '#form' }, settled);
    expect(title).toBe('click:plain||');
  });

  it('of other sites are entered, too, and scrolled into the window', async () => {
    const other = capturing.site.url.replace('127.0.0.1', 'localhost');
    const { facts } = await after(`${page}?other=${other}${FORM}`, [
      { type: 'fill', selector: '#name', value: 'Ada', frame: '#other' },
      { type: 'check', selector: '#terms', frame: '#other' },
      { type: 'press', selector: '#name', key: 'Enter', frame: '#other' },
      { type: 'wait', selector: '#name', frame: '#other', state: 'hidden' },
    ]);
    expect(facts.actions?.every(({ done }) => done)).toBe(true);
    expect(capturing.site.requests('/echo').some((request) => request.path === '/echo?name=Ada')).toBe(true);
  });

  it('are missing when nothing is one', async () => {
    expect(await problemOf({ type: 'click', selector: 'a', frame: '#nowhere' })).toMatch(
      /^no_frame: no iframe matches/,
    );
    expect(await problemOf({ type: 'click', selector: 'a', frame: '#plain' })).toMatch(
      /^no_frame: .*is no iframe/,
    );
  });
});

describe('optional steps', () => {
  it('are passed over when their element is missing or hidden, and noted', async () => {
    const { facts } = await after(FORM, [
      { type: 'click', selector: '#nowhere', optional: true, timeout_ms: 100 },
      { type: 'click', selector: '#hidden', optional: true, timeout_ms: 100 },
      { type: 'click', selector: '#plain' },
    ]);
    expect(facts.title).toBe('click:plain');
    expect(facts.actions).toMatchObject([
      { index: 0, done: false, problem: expect.stringContaining('nothing on the page matches') },
      { index: 1, done: false },
      { index: 2, type: 'click', done: true },
    ]);
  });

  it('fail for any other reason', async () => {
    expect(await problemOf({ type: 'click', selector: '#off', optional: true })).toMatch(/^disabled: /);
  });
});

describe('a page that redefines what scripts rely on', () => {
  const tampered = `<title>t</title><form id="form"><input name="parentNode"><input name="isConnected"><input id="name">
    <button id="go" type="button" onclick="document.title = document.getElementById('name').value">Go</button></form>
    <script>
      const lie = () => { throw new Error('tampered') };
      const name = document.getElementById('name');
      document.getElementById = ((find) => (id) => find.call(document, id))(document.getElementById);
      Document.prototype.querySelectorAll = Document.prototype.elementFromPoint = Document.prototype.execCommand = lie;
      Element.prototype.getBoundingClientRect = Element.prototype.matches = Element.prototype.closest = lie;
      Array.prototype.map = Array.prototype.find = Array.prototype.flatMap = lie;
      window.getSelection = window.getComputedStyle = lie;
    </script>`;

  it('neither stops the steps nor sees them', async () => {
    const { facts } = await after(
      null,
      [
        { type: 'fill', selector: '#name', value: 'Ada' },
        { type: 'click', selector: 'text/Go' },
      ],
      { html: tampered },
    );
    expect(facts.title).toBe('Ada');
  });
});

describe('headers of the caller', () => {
  it('go to the origin of the target only, whatever page a step opens', async () => {
    const { url } = capturing.site;
    const other = url.replace('127.0.0.1', 'localhost');
    await after(
      '/actions/doors.html?own',
      [
        { type: 'navigate', url: `${url}/actions/form.html?own` },
        { type: 'navigate', url: `${other}/actions/form.html?other` },
      ],
      { headers: { 'X-Preview': 'true' } },
    );
    const carried = (path: string): unknown =>
      capturing.site.requests().find((request) => request.path === path)?.headers['x-preview'];
    expect(carried('/actions/doors.html?own')).toBe('true');
    expect(carried('/actions/form.html?own')).toBe('true');
    expect(carried('/actions/form.html?other')).toBeUndefined();
  });
});
