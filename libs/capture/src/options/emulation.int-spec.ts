import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Site } from '../../../../test/support/site.js';
import type { Visit } from '../pipeline/family.js';
import { Visits } from './visits.conformance.js';
import { evaluate, evaluateOn } from '../../../../test/support/browser.js';
import { eventually } from '../../../../test/support/eventually.js';

const SCRIPTED =
  '<noscript>no script</noscript><p id="p">static</p><script>p.textContent = "scripted"</script>';
/** Asks for what is in it with the languages and the agent that scripts see there. */
const ASKING = (name: string): string =>
  `fetch('/${name}?' + navigator.languages + '&' + navigator.userAgent.split(' ')[0])`;
const script = (text: string) => (_: IncomingMessage, response: ServerResponse) =>
  void response.writeHead(200, { 'content-type': 'text/javascript' }).end(text);
const site = new Site({
  '/': '<p>page',
  '/scripted': SCRIPTED,
  '/parts': (_, response) =>
    void response
      .writeHead(200, { 'content-type': 'text/html' })
      .end(
        `<iframe src="${site.url('/frame', 'localhost')}"></iframe><script>new Worker('/worker.js')</script>`,
      ),
  '/frame': `<script>${ASKING('from-frame')}; new Worker('/frame-worker.js')</script>`,
  '/worker.js': script(ASKING('from-worker')),
  '/frame-worker.js': script(ASKING('from-frame-worker')),
});
const visits = new Visits();

beforeAll(async () => {
  await Promise.all([site.open(), visits.open()]);
});

afterAll(async () => {
  await Promise.all([site.close(), visits.close()]);
});

function beliefsOf({ page }: Visit) {
  return evaluate(page, () => ({
    dark: matchMedia('(prefers-color-scheme: dark)').matches,
    reduced: matchMedia('(prefers-reduced-motion: reduce)').matches,
    print: matchMedia('print').matches,
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    offset: new Date(Date.UTC(2026, 0, 15)).getTimezoneOffset(),
    language: navigator.language,
    languages: [...navigator.languages],
    number: (1234.5).toLocaleString(),
    userAgent: navigator.userAgent,
  }));
}

const beliefsWith = (options: Record<string, unknown>) =>
  visits.readFrom({ url: site.url('/'), ...options }, beliefsOf);

describe('emulation options', () => {
  it('are a light, moving screen in English by default', async () => {
    const found = await beliefsWith({});
    expect(found).toMatchObject({ dark: false, reduced: false, print: false, language: 'en-US' });
  });

  it('prefer dark with dark_mode, and light with false', async () => {
    expect(await beliefsWith({ dark_mode: true })).toMatchObject({ dark: true, reduced: false });
    expect(await beliefsWith({ dark_mode: false })).toMatchObject({ dark: false });
  });

  it('prefer reduced motion, and none with false', async () => {
    expect(await beliefsWith({ reduced_motion: true })).toMatchObject({ reduced: true, dark: false });
    expect(await beliefsWith({ reduced_motion: false })).toMatchObject({ reduced: false });
  });

  it('set the media type beside the other preferences', async () => {
    expect(await beliefsWith({ media_type: 'print', dark_mode: true })).toMatchObject({
      print: true,
      dark: true,
    });
    expect(await beliefsWith({ media_type: 'screen' })).toMatchObject({ print: false });
    const given = { url: undefined, html: '<p>page', media_type: 'print', dark_mode: true };
    expect(await beliefsWith(given)).toMatchObject({ print: true, dark: true });
  });

  it.each([
    ['Asia/Kolkata', -330],
    ['america/new_york', 300],
    ['UTC', 0],
    ['Europe/Kyiv', -120],
  ])('set the time zone %s', async (timezone, offset) => {
    expect(await beliefsWith({ timezone })).toMatchObject({ offset });
  });

  it('set the language of scripts, formats and requests', async () => {
    site.forget();
    const found = await beliefsWith({ locale: 'de-de' });
    expect(found).toMatchObject({ language: 'de-DE', languages: ['de-DE', 'de'], number: '1.234,5' });
    expect(site.requestsTo('/')[0]?.headers['accept-language']).toMatch(/^de-DE,de(;|$)/);
    expect(found.userAgent).toContain('Chrome');
  });

  it.each([
    [{}, 'en-US,en;q=0.9', 'en-US,en', 'Mozilla/5.0'],
    [{ device: 'pixel-5' }, 'en-US,en;q=0.9', 'en-US,en', 'Mozilla/5.0'],
    [{ locale: 'de-DE' }, 'de-DE,de;q=0.9', 'de-DE,de', 'Mozilla/5.0'],
    [{ user_agent: 'Probe/1.0' }, 'en-US,en;q=0.9', 'en-US,en', 'Probe/1.0'],
  ])(
    'send the languages and the agent of %j, in frames and workers too',
    async (options, header, languages, agent) => {
      site.forget();
      const asked = ['from-frame', 'from-worker', 'from-frame-worker'].map(
        (name) => `/${name}?${languages}&${agent}`,
      );
      await visits.readFrom({ url: site.url('/parts'), ...options }, async () => {
        await eventually('all parts asked', () => asked.every((path) => site.requestsTo(path).length > 0));
      });
      const headers = site.requests.map((request) => request.headers['accept-language']);
      expect(new Set(headers)).toEqual(new Set([header]));
    },
  );

  it('keep the client hints of the browser with another language', async () => {
    const brands = ({ page }: Visit) =>
      evaluate(
        page,
        () => (navigator as unknown as { userAgentData: { brands: unknown[] } }).userAgentData.brands.length,
      );
    const url = site.url('/');
    expect(await visits.readFrom({ url, locale: 'de-DE' }, brands)).toBe(
      await visits.readFrom({ url }, brands),
    );
  });

  it('take the user agent of the option before that of the device', async () => {
    site.forget();
    expect(await beliefsWith({ user_agent: 'Probe/1.0', device: 'pixel-5' })).toMatchObject({
      userAgent: 'Probe/1.0',
    });
    expect(site.requestsTo('/')[0]?.headers['user-agent']).toBe('Probe/1.0');
    expect((await beliefsWith({ device: 'pixel-5' })).userAgent).toContain('Pixel 5');
  });

  it('report the position only when it is given', async () => {
    const position = ({ page }: Visit) =>
      evaluate(
        page,
        () =>
          new Promise((resolve) => {
            navigator.geolocation.getCurrentPosition(
              ({ coords: { latitude, longitude, accuracy } }) => {
                resolve({ latitude, longitude, accuracy });
              },
              ({ code }) => {
                resolve(code);
              },
            );
          }),
      );
    const url = site.url('/');
    const place = { latitude: 52.52, longitude: -13.4 };
    expect(await visits.readFrom({ url, ...place, accuracy: 25 }, position)).toEqual({
      ...place,
      accuracy: 25,
    });
    expect(await visits.readFrom({ url, latitude: 0, longitude: 0 }, position)).toEqual({
      latitude: 0,
      longitude: 0,
      accuracy: 1,
    });
    expect(await visits.readFrom({ url }, position)).toBe(1);
  });

  it('run the scripts of the page unless javascript is false', async () => {
    const text = ({ page }: Visit) => evaluateOn(page, 'body', (body) => body.innerText);
    const url = site.url('/scripted');
    expect(await visits.readFrom({ url }, text)).toBe('scripted');
    expect(await visits.readFrom({ url, javascript: true }, text)).toBe('scripted');
    expect(await visits.readFrom({ url, javascript: false }, text)).toMatch(/no script\s+static/);
  });

  it('leave nothing behind for the next capture', async () => {
    await beliefsWith({ dark_mode: true, timezone: 'Asia/Tokyo', locale: 'fr-FR', user_agent: 'Probe/1.0' });
    const next = await beliefsWith({});
    expect(next).toMatchObject({ dark: false, language: 'en-US', number: '1,234.5' });
    expect(next.timezone).not.toBe('Asia/Tokyo');
  });
});
