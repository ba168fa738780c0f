import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

interface Visit {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
}

type Route = (visit: Visit) => void | Promise<void>;

const PAGES = 'test/site';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ttf': 'font/ttf',
};

/** The routes of the site besides its pages. `/status/404` is served by the route `/status/`. */
const ROUTES: Readonly<Record<string, Route>> = {
  /** `/redirect?to=/tall.html&status=301`. */
  '/redirect': ({ response, url }) => {
    const status = Number(url.searchParams.get('status') ?? '302');
    response.writeHead(status, { location: url.searchParams.get('to') ?? '/' }).end();
  },
  '/redirect-loop': ({ response }) => void response.writeHead(302, { location: '/redirect-loop' }).end(),
  '/status/': ({ response, url }) => {
    const status = Number(url.pathname.slice('/status/'.length));
    const after = url.searchParams.get('retry-after');
    const headers = { ...html, ...(after !== null && { 'retry-after': after }) };
    response.writeHead(status, headers).end(page(`Status ${status}`, `<h1>Status ${status}</h1>`));
  },
  /** `/verdicts/bot_wall/akamai` is the response in the file test/site/verdicts/bot_wall/akamai.http. */
  '/verdicts/': async ({ response, url }) => {
    const name = path.join(PAGES, path.normalize(decodeURIComponent(url.pathname)));
    const [head = '', ...body] = (await readFile(`${name}.http`, 'utf8')).split('\n\n');
    const [start = '', ...lines] = head.split('\n');
    const headers = lines.map((line) => line.split(/: (.*)/s).slice(0, 2));
    response.writeHead(Number(start.split(' ')[1]), headers.flat()).end(body.join('\n\n'));
  },
  /** Answers after `?ms=` milliseconds. */
  '/slow': async ({ response, url }) => {
    // A test that ends sooner need not wait for it.
    await wait(Number(url.searchParams.get('ms') ?? '1000'), undefined, { ref: false });
    response.writeHead(200, html).end(page('Slow', '<h1>At last</h1>'));
  },
  /** A green picture after `?ms=` milliseconds, never from a cache. */
  '/slow-green': async ({ response, url }) => {
    await wait(Number(url.searchParams.get('ms')), undefined, { ref: false });
    const body = await readFile(path.join(PAGES, 'green.svg'));
    response.writeHead(200, { 'content-type': 'image/svg+xml', 'cache-control': 'no-store' }).end(body);
  },
  /** A file of the site after `?ms=` milliseconds: `/slow-file?ms=500&file=ready/box.ttf`. */
  '/slow-file': async (visit) => {
    const { searchParams } = visit.url;
    await wait(Number(searchParams.get('ms')), undefined, { ref: false });
    await file({ ...visit, url: new URL(searchParams.get('file') ?? '', visit.url) });
  },
  /** Shows the request's headers and cookies. */
  '/echo': ({ request, response }) => {
    response
      .writeHead(200, html)
      .end(page('Echo', `<pre>${escape(JSON.stringify(request.headers, null, 2))}</pre>`));
  },
  /** `/set-cookie?session=1`. */
  '/set-cookie': ({ response, url }) => {
    const cookies = [...url.searchParams].map(([name, value]) => `${name}=${value}; Path=/`);
    response.writeHead(200, { ...html, 'set-cookie': cookies }).end(page('Cookies', '<h1>Set</h1>'));
  },
  /** Never answers. */
  '/hang': () => {},
  /** Sends the beginning of a page and nothing more. */
  '/hang-body': ({ response }) => {
    response.writeHead(200, html).write('<!doctype html><title>Hangs</title><h1>Begun</h1>');
  },
  '/download': ({ response }) => {
    const headers = {
      'content-type': 'application/octet-stream',
      'content-disposition': 'attachment; filename=data.bin',
    };
    response.writeHead(200, headers).end('data');
  },
  /** `/packages/klaro/dist/klaro.css`: a file of a package of node_modules. */
  '/packages/': async ({ response, url }) => {
    await sendFile(response, 'node_modules', url.pathname.slice('/packages/'.length));
  },
  /** `/around?to=<URL>`: a page that shows another one in a frame, and its messages as its title. */
  '/around': ({ response, url }) => {
    const to = escape(url.searchParams.get('to') ?? '').replaceAll('"', '&quot;');
    const frame = `<iframe src="${to}" style="width: 1280px; height: 795px; border: 0"></iframe>`;
    response
      .writeHead(200, html)
      .end(
        page(
          'Around',
          `<body style="margin: 0">${frame}<script>onmessage = ({ data }) => (document.title = data)</script>`,
        ),
      );
  },
  /** Resets the connection before the first byte of an answer. */
  '/reset': ({ request }) => void request.socket.resetAndDestroy(),
  /** Ends the connection without an answer. */
  '/empty': ({ request }) => void request.socket.end(),
  /** Requires the user `user` and the password `password`. */
  '/basic-auth': ({ request, response }) => {
    const wanted = `Basic ${Buffer.from('user:password').toString('base64')}`;
    if (request.headers.authorization === wanted)
      response.writeHead(200, html).end(page('In', '<h1>Welcome</h1>'));
    else
      response
        .writeHead(401, { ...html, 'www-authenticate': 'Basic realm="site"' })
        .end(page('Out', '<h1>Who?</h1>'));
  },
};

const html = { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' };

export function routeOf(pathname: string): Route {
  const exact = ROUTES[pathname];
  if (exact) return exact;
  const below = Object.keys(ROUTES).find((route) => route.endsWith('/') && pathname.startsWith(route));
  return (below === undefined ? undefined : ROUTES[below]) ?? file;
}

async function file({ response, url }: Visit): Promise<void> {
  await sendFile(response, PAGES, url.pathname);
}

async function sendFile(response: ServerResponse, folder: string, pathname: string): Promise<void> {
  const name = path.join(folder, path.normalize(decodeURIComponent(pathname)));
  const bytes = await readFile(name).catch(() => undefined);
  if (bytes === undefined) response.writeHead(404, html).end(page('Not found', '<h1>Not found</h1>'));
  else
    response
      .writeHead(200, { 'content-type': TYPES[path.extname(name)] ?? 'application/octet-stream' })
      .end(bytes);
}

const page = (title: string, body: string) =>
  `<!doctype html><meta charset="utf-8"><title>${title}</title>${body}`;

const escape = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
