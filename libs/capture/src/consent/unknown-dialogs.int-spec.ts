import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { extractText } from 'unpdf';
import type { CaptureOptions } from '@app/capture';
import { Capturing, Picture, type Captured } from '../../../../test/support/capturing.js';

let capturing: Capturing;
beforeAll(async () => {
  capturing = await Capturing.open();
});
afterAll(() => capturing.close());

const GREEN = '00a050';

interface Texts {
  readonly question: string;
  readonly accept: string;
  readonly reject: string;
}

const ENGLISH: Texts = {
  question: 'We use cookies to measure what visitors do.',
  accept: 'Accept all',
  reject: 'Reject all',
};

/** A veil and a box, whose buttons store their numbers and remove both. */
const dialogOf = ({ question, accept, reject }: Texts): string => `
  <div class="q" style="position: fixed; inset: 0; background: #0008"></div>
  <div class="q" style="position: fixed; inset: 200px 300px; background: #ffffff"><p>${question}</p>
    <button onclick="answer(1)">${reject}</button><button onclick="answer(2)">${accept}</button></div>`;

const ANSWER = `var root = document; function answer(number) {
  document.title = 'answer ' + number;
  root.querySelectorAll('.q').forEach((each) => each.remove());
  document.body.style.overflow = '';
}`;

const page = (dialog: string, script = ''): string => `<!doctype html><title>Page</title>
  <body style="margin: 0; background: #${GREEN}; overflow: hidden"><main style="height: 3000px">Content</main>
  <script>${ANSWER}</script>${dialog}<script>${script}</script>`;

function capture(html: string, options: Partial<CaptureOptions> = {}): Promise<Captured> {
  return capturing.capture(null, {
    html,
    block_cookie_banners: true,
    wait_until: 'load',
    full_page: true,
    max_height: 1_600,
    ...options,
  });
}

/** Whether the picture is that of the page alone, as long as the page is. */
async function isClean(captured: Captured): Promise<boolean> {
  const picture = await Picture.fromCapture(captured);
  const points = [
    [640, 400],
    [310, 210],
    [10, 790],
    [1_270, 600],
  ];
  return picture.height === 1_600 && points.every(([x = 0, y = 0]) => picture.colourAt(x, y) === GREEN);
}

const CHOICES = [
  { choice: 'reject', action: 'rejected', title: 'answer 1' },
  { choice: 'accept', action: 'accepted', title: 'answer 2' },
  { choice: 'hide', action: 'hidden', title: 'Page' },
] as const;

const ANSWERS = CHOICES.filter(({ choice }) => choice !== 'hide');

const LANGUAGES = [
  { name: 'English', ...ENGLISH },
  { name: 'Greek', question: 'Χρησιμοποιούμε cookies.', accept: 'Αποδοχή όλων', reject: 'Απόρριψη όλων' },
  { name: 'Japanese', question: 'クッキーを使用しています。', accept: 'すべて許可', reject: '拒否する' },
  { name: 'Arabic', question: 'نستخدم ملفات تعريف الارتباط.', accept: 'قبول الكل', reject: 'رفض الكل' },
  { name: 'Finnish', question: 'Käytämme evästeitä.', accept: 'Hyväksy kaikki', reject: 'Hylkää kaikki' },
] as const;

describe('a dialog without a role that no rule knows', () => {
  it.each(LANGUAGES.flatMap((texts) => ANSWERS.map((each) => ({ ...texts, ...each }))))(
    'in $name is $action',
    async ({ choice, action, title, ...texts }) => {
      const captured = await capture(page(dialogOf(texts)), { cookie_consent: choice });
      expect(captured.facts).toMatchObject({ title, consent: { manager: null, action, gone: true } });
      expect(await isClean(captured)).toBe(true);
    },
  );

  it.each(CHOICES)('in a shadow root is $action', async ({ choice, action, title }) => {
    const script = `root = document.querySelector('cookie-notice').attachShadow({ mode: 'open' });
      root.innerHTML = ${JSON.stringify(dialogOf(ENGLISH))}`;
    const captured = await capture(page('<cookie-notice></cookie-notice>', script), {
      cookie_consent: choice,
    });
    expect(captured.facts).toMatchObject({ title, consent: { manager: null, action, gone: true } });
    expect(await isClean(captured)).toBe(true);
  });

  it('is hidden when its only button leads elsewhere', async () => {
    const over = dialogOf(ENGLISH).replace(/<button.*/s, '<a href="/elsewhere">Reject all</a></div>');
    const captured = await capture(page(over), { base_url: capturing.site.url });
    expect(captured.facts).toMatchObject({ title: 'Page', consent: { action: 'hidden', gone: true } });
    expect(await isClean(captured)).toBe(true);
  });
});

describe('gone', () => {
  it('is false when the picture shows a dialog that the page puts up each time', async () => {
    const script = `let count = 0;
      const show = () => {
        const last = document.querySelector('.q' + count);
        if (last && getComputedStyle(last).display !== 'none') return;
        last?.remove();
        count += 1;
        document.body.insertAdjacentHTML('beforeend', ${JSON.stringify(dialogOf(ENGLISH))}
          .replaceAll('class="q"', 'class="q' + count + '" id="number' + count + '"').replaceAll('answer(', 'show('));
      };
      setInterval(show, 10);
      show()`;
    const captured = await capture(page('', script));
    expect(captured.facts.consent).toMatchObject({ gone: false });
    expect(await isClean(captured)).toBe(false);
  });

  it('is true when a dialog came while the file was made, which is made again without it', async () => {
    const script = `addEventListener('beforeprint', () => {
      document.body.insertAdjacentHTML('beforeend', ${JSON.stringify(dialogOf(ENGLISH))});
    }, { once: true })`;
    const pdf = { format: 'pdf', full_page: false, max_height: undefined } as const;
    const { bytes, facts } = await capture(page('', script), pdf);
    expect(facts.consent).toEqual({ manager: null, action: 'rejected', gone: true });
    const { text } = await extractText(new Uint8Array(bytes), { mergePages: true });
    expect(text).toContain('Content');
    expect(text).not.toContain('cookies');
  });
});
