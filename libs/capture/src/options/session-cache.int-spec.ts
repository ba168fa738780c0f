import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../../../test/support/eventually.js';
import { Site } from '../../../../test/support/site.js';
import { Visits } from './visits.conformance.js';

/** Reads `/cached` or `/picture` of the target and reports to the target what it read, by asking for `/told/…`. */
const READERS = {
  fetch: (target: string) => `<script>
    fetch('${target}/cached').then((answer) => answer.text()).then((text) => fetch('${target}/told/' + text));
  </script>`,
  picture: (target: string) => `<img src="${target}/picture"
    onload="fetch('${target}/told/' + (this.naturalWidth === 2 ? 'secret' : 'public'))">`,
  worker: () => `<script>new SharedWorker('/reading.js')</script>`,
};
const reading = (target: string): string =>
  `fetch('${target}/cached').then((answer) => answer.text()).then((text) => fetch('${target}/told/' + text))`;

const HEADERS = { 'cache-control': 'max-age=3600', 'access-control-allow-origin': '*' };
const picture = (width: number): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="1"></svg>`;

/** A stranger's pages, one of each reader. */
const other: Site = new Site({
  '/fetch': (_, response) => response.setHeader('content-type', 'text/html').end(READERS.fetch(site.url(''))),
  '/picture': (_, response) =>
    response.setHeader('content-type', 'text/html').end(READERS.picture(site.url(''))),
  '/worker': READERS.worker(),
  '/reading.js': (_, response) =>
    response.setHeader('content-type', 'text/javascript').end(reading(site.url(''))),
});
/** Loads both into the cache, then shows a page of the stranger: in its place, or in a frame. */
const filling = (
  page: string,
  host: string,
  isFramed: boolean,
): string => `<img id="img" src="/picture"><script>
  Promise.all([fetch('/cached').then((answer) => answer.text()), img.decode()]).then(() => {
    const url = '${other.url(page, host)}';
    if (!${String(isFramed)}) location = url;
    else document.body.append(Object.assign(document.createElement('iframe'), { src: url }));
  });
</script>`;
const site: Site = new Site({
  '/cached': (request, response) =>
    response.writeHead(200, HEADERS).end('x-preview' in request.headers ? 'secret' : 'public'),
  '/picture': (request, response) =>
    response
      .writeHead(200, { ...HEADERS, 'content-type': 'image/svg+xml' })
      .end(picture('x-preview' in request.headers ? 2 : 1)),
  ...Object.fromEntries(
    Object.keys(READERS).flatMap((reader) =>
      ['localhost', '127.0.0.1'].flatMap((host) =>
        ['left', 'framed'].map((how) => [
          `/${how}/${host}/${reader}`,
          (_: unknown, response: ServerResponse) =>
            response
              .setHeader('content-type', 'text/html')
              .end(filling(`/${reader}`, host, how === 'framed')),
        ]),
      ),
    ),
  ),
});
const visits = new Visits();

beforeAll(async () => {
  await Promise.all([site.open(), other.open(), visits.open()]);
});
afterAll(async () => {
  await Promise.all([site.close(), other.close(), visits.close()]);
});

describe('an answer to headers of the caller', () => {
  it.each([
    ['/left/localhost/fetch'],
    ['/left/127.0.0.1/fetch'],
    ['/left/localhost/picture'],
    ['/left/127.0.0.1/picture'],
    ['/left/localhost/worker'],
    ['/framed/localhost/fetch'],
    ['/framed/127.0.0.1/fetch'],
    ['/framed/localhost/picture'],
    ['/framed/127.0.0.1/picture'],
    ['/framed/localhost/worker'],
  ])('does not come to a foreign page out of the cache: %s', async (path) => {
    site.forget();
    const told = (): string[] =>
      site.requests.flatMap(({ url = '' }) => (url.startsWith('/told/') ? [url] : []));
    await visits.readFrom({ url: site.url(path), headers: { 'X-Preview': 'yes' } }, () =>
      eventually('the foreign page told what it read', () => told().length > 0),
    );
    expect(told()).toEqual(['/told/public']);
  });
});
