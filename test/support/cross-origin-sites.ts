import type { RequestListener } from 'node:http';
import { Site } from './site.js';

/** The ways in which any document can send a request. Each sends one, to `${to}/<name>`. */
const REACHES: Readonly<Record<string, (to: string) => string>> = {
  image: (to) => `<img src="${to}/image">`,
  style: (to) => `<link rel="stylesheet" href="${to}/style">`,
  script: (to) => `<script src="${to}/script"></script>`,
  module: (to) => `<script type="module" src="${to}/module"></script>`,
  preload: (to) => `<link rel="preload" as="fetch" crossorigin href="${to}/preload">`,
  prefetch: (to) => `<link rel="prefetch" href="${to}/prefetch">`,
  object: (to) => `<object data="${to}/object"></object>`,
  frame: (to) => `<iframe src="${to}/frame"></iframe>`,
  form: (
    to,
  ) => `<iframe name="into"></iframe><form id="form" method="post" target="into" action="${to}/form"></form>
    <script>form.submit()</script>`,
  fetch: (to) => run(`fetch('${to}/fetch')`),
  credentials: (to) => run(`fetch('${to}/credentials', { credentials: 'include' })`),
  noCors: (to) => run(`fetch('${to}/noCors', { mode: 'no-cors' })`),
  keepalive: (to) => run(`fetch('${to}/keepalive', { keepalive: true })`),
  beacon: (to) => run(`navigator.sendBeacon('${to}/beacon', 'x')`),
  xhr: (to) => run(`const x = new XMLHttpRequest(); x.open('GET', '${to}/xhr'); x.send()`),
  events: (to) => run(`new EventSource('${to}/events')`),
  worker: (to) => run(`new Worker(URL.createObjectURL(new Blob(["fetch('${to}/worker')"])))`),
};
/** The names of these ways. */
export const ALL_REACHES = Object.keys(REACHES);

/** Under this name the other server is another site; under its own name it is only another origin. */
const CROSS_SITE = 'localhost';
/** Lets a frame navigate the page around it without a click. */
const LEADING = 'sandbox="allow-scripts allow-same-origin allow-top-navigation"';

const framed = (url: string, attributes = ''): string => `<iframe ${attributes} src="${url}"></iframe>`;
const run = (code: string): string => `<script>{ ${code} }</script>`;
const reach = (to: string): string =>
  Object.values(REACHES)
    .map((by) => by(to))
    .join('\n');
const html =
  (body: string): RequestListener =>
  (_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(body);
  };
const script =
  (body: () => string): RequestListener =>
  (_, response) => {
    response.writeHead(200, { 'content-type': 'text/javascript' }).end(body());
  };
const redirect =
  (to: () => string): RequestListener =>
  (_, response) => {
    response.writeHead(302, { location: to(), 'access-control-allow-origin': '*' }).end();
  };
const lazy =
  (body: () => string): RequestListener =>
  (...args) => {
    html(body())(...args);
  };

/** Pages of a stranger that try every way to reach the target. */
const STRANGE = {
  '/spy': lazy(() => reach(site.url('/spied'))),
  '/shared': lazy(() => run(`new SharedWorker('/shared.js')`)),
  '/shared.js': script(() => `fetch('${site.url('/spied/shared')}')`),
  '/service': lazy(() => run(`navigator.serviceWorker.register('/service.js')`)),
  '/service.js': script(
    () =>
      `oninstall = (event) => event.waitUntil(fetch('${site.url('/spied/service')}', { mode: 'no-cors' }))`,
  ),
  '/socket': lazy(() => run(`new WebSocket('${site.url('/spied/socket').replace('http', 'ws')}')`)),
  '/rules': lazy(
    () => `<script type="speculationrules">
      { "prefetch": [{ "urls": ["${site.url('/spied/rules')}"], "eagerness": "immediate" }] }
    </script>`,
  ),
  '/frames-own': lazy(() => `<iframe src="${site.url('/framed')}"></iframe>`),
  '/goes-back': lazy(() => run(`location = '${site.url('/spied/top')}'`)),
  '/posts-back': lazy(
    () =>
      `<form id="form" method="post" action="${site.url('/spied/posted')}"></form>${run('form.submit()')}`,
  ),
  '/leads-top': lazy(() => run(`top.location = '${site.url('/spied/led')}'`)),
  '/leads-top-unnamed': lazy(
    () => `<meta name="referrer" content="no-referrer">${run(`top.location = '${site.url('/spied/led')}'`)}`,
  ),
  '/bounce': redirect(() => site.url('/spied/bounced')),
  '/quiet': html('<p>quiet'),
} satisfies Record<string, RequestListener>;

/** Another origin, which serves only the STRANGE pages. */
export const other: Site = new Site(STRANGE);
const cors: RequestListener = (request, response) => {
  response.setHeader('access-control-allow-origin', request.headers.origin ?? '*');
  response.setHeader('access-control-allow-credentials', 'true');
  response.writeHead(200, { 'content-type': 'text/html' }).end();
};
/** The target: its own pages request `/own/…`; requests to `/spied/…` come from strangers. */
export const site: Site = new Site({
  ...STRANGE,
  ...Object.fromEntries(ALL_REACHES.map((name) => [`/spied/${name}`, cors])),
  ...Object.fromEntries(
    ['shared', 'service', 'socket', 'frames-own', 'goes-back', 'posts-back'].map((name) => [
      `/to-${name}`,
      redirect(() => other.url(`/${name}`, CROSS_SITE)),
    ]),
  ),
  // Chromium does not prefetch across sites without a certificate.
  '/to-rules': redirect(() => other.url('/rules')),
  '/around-cross-site': lazy(() => framed(other.url('/spy', CROSS_SITE))),
  '/around-same-site': lazy(() => framed(other.url('/spy'))),
  '/around-sandboxed': html(framed('/spy', 'sandbox="allow-scripts allow-forms"')),
  '/around-srcdoc': lazy(() => {
    const source = reach(site.url('/spied')).replaceAll('"', '&quot;');
    return `<iframe sandbox="allow-scripts allow-forms" srcdoc="${source}"></iframe>`;
  }),
  '/around-data': lazy(() => framed(`data:text/html,${encodeURIComponent(reach(site.url('/spied')))}`)),
  '/around-policy': html(framed('/spy-policy')),
  '/spy-policy': (...args) => {
    args[1].setHeader('content-security-policy', 'sandbox allow-scripts allow-forms');
    STRANGE['/spy'](...args);
  },
  '/led': lazy(() => framed(other.url('/leads-top', CROSS_SITE), LEADING)),
  '/led-unnamed': lazy(() => framed(other.url('/leads-top-unnamed', CROSS_SITE), LEADING)),
  '/led-sandboxed': lazy(() => framed('/leads-top', 'sandbox="allow-scripts allow-top-navigation"')),
  '/out-and-back': redirect(() => other.url('/bounce', CROSS_SITE)),
  '/reaches': lazy(() => reach(site.url('/own'))),
  '/own/frame': html('<img src="/own/framed">'),
  '/framed': lazy(() => run(`fetch('/spied/nested')`)),
  '/worker': html(run(`new Worker('/worker.js')`)),
  '/worker.js': script(
    () => `importScripts('/own/imported'); fetch('/own/worked'); new Worker('/nested.js')`,
  ),
  '/own/imported': script(() => ''),
  '/nested.js': script(() => `fetch('/own/nested')`),
  '/inheriting': html(`
    <iframe srcdoc="<img src=/own/srcdoc>"></iframe>
    <iframe id="blank"></iframe>${run(`blank.contentDocument.body.innerHTML = '<img src=/own/blank>'`)}
    <iframe src="javascript:'<img src=/own/javascript>'"></iframe>
    <iframe id="blob"></iframe>${run(`blob.src = URL.createObjectURL(
      new Blob(['<img src=' + location.origin + '/own/blob>'], { type: 'text/html' }))`)}`),
  '/moved': redirect(() => '/own/moved'),
  '/own-redirect': html('<img src="/moved">'),
  '/by-status': redirect(() => other.url('/spy', CROSS_SITE)),
  '/by-meta': lazy(() => `<meta http-equiv="refresh" content="0;url=${other.url('/spy', CROSS_SITE)}">`),
  '/by-script': lazy(() => run(`location = '${other.url('/spy', CROSS_SITE)}'`)),
  '/onward-meta': html('<meta http-equiv="refresh" content="0;url=/own/refreshed">'),
  '/onward-script': html(run(`location = '/own/scripted'`)),
  '/onward-form': html(
    `<form id="form" method="post" action="/own/submitted"></form>${run('form.submit()')}`,
  ),
  '/onward-framed': lazy(
    () => `<iframe src="${other.url('/quiet', CROSS_SITE)}" onload="location = '/own/onward'"></iframe>`,
  ),
  '/sends-away': lazy(() => run(`fetch('/away')`)),
  '/away': redirect(() => other.url('/bounce', CROSS_SITE)),
});
