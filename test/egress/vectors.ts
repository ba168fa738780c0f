/** One way out of a page: what it does for each place that it tries to reach. */
export interface Vector {
  /** A part of the document for one place (`127.0.0.1:4711`). */
  readonly html?: (place: string) => string;
  /** A script for one place; it may throw. */
  readonly script?: (place: string) => string;
  /** Uses the UDP canary. */
  readonly udp?: true;
  /** Needs a page with an http origin, which a document from `html` does not have. */
  readonly urlOnly?: true;
  /** The launch setting that stops the page before its request reaches the proxy. */
  readonly mute?: string;
  /** Why this build of Chromium never does it, with any flags. */
  readonly never?: string;
}

const inWorker = (place: string): string => `fetch('http://${place}/worker', { mode: 'no-cors' })`;
const ofBlob = (place: string): string =>
  `URL.createObjectURL(new Blob([${JSON.stringify(inWorker(place))}], { type: 'text/javascript' }))`;

/** Vectors of a page that does not navigate. */
export const VECTORS: Readonly<Record<string, Vector>> = {
  fetch: { script: (place) => `fetch('http://${place}/', { mode: 'no-cors' })` },
  'fetch over TLS': { script: (place) => `fetch('https://${place}/', { mode: 'no-cors' })` },
  'fetch, keepalive': {
    script: (place) => `fetch('http://${place}/', { mode: 'no-cors', keepalive: true })`,
  },
  XMLHttpRequest: {
    script: (place) => `const x = new XMLHttpRequest(); x.open('GET', 'http://${place}/'); x.send()`,
  },
  image: { html: (place) => `<img src="http://${place}/image">` },
  iframe: { html: (place) => `<iframe src="http://${place}/frame"></iframe>` },
  script: { html: (place) => `<script src="http://${place}/script"></script>` },
  stylesheet: { html: (place) => `<link rel="stylesheet" href="http://${place}/sheet">` },
  'CSS import': { html: (place) => `<style>@import url(http://${place}/import)</style>` },
  'CSS background': {
    html: (place) => `<div style="height: 9px; background: url(http://${place}/background)">`,
  },
  font: {
    html: (place) =>
      `<style>@font-face { font-family: 'f${place}'; src: url(http://${place}/font) }</style><b style="font-family: 'f${place}'">x</b>`,
  },
  video: { html: (place) => `<video preload="auto" src="http://${place}/video"></video>` },
  object: { html: (place) => `<object data="http://${place}/object"></object>` },
  embed: { html: (place) => `<embed src="http://${place}/embed" type="text/html">` },
  'SVG image': { html: (place) => `<svg><image href="http://${place}/svg" width="9" height="9" /></svg>` },
  WebSocket: { script: (place) => `new WebSocket('ws://${place}/')` },
  EventSource: { script: (place) => `new EventSource('http://${place}/')` },
  sendBeacon: { script: (place) => `navigator.sendBeacon('http://${place}/', 'x')` },
  'a ping': {
    html: (place) => `<a id="a${place}" href="#" ping="http://${place}/ping">x</a>`,
    script: (place) => `document.getElementById('a${place}').click()`,
    mute: '--no-pings',
  },
  popup: { script: (place) => `open('http://${place}/popup')`, mute: '--block-new-web-contents' },
  'form to a new window': {
    html: (place) => `<form id="f${place}" target="_blank" action="http://${place}/form"></form>`,
    script: (place) => `document.getElementById('f${place}').submit()`,
    mute: '--block-new-web-contents',
  },
  'form to a frame': {
    html: (place) =>
      `<iframe name="n${place}"></iframe><form id="g${place}" target="n${place}" action="http://${place}/form"></form>`,
    script: (place) => `document.getElementById('g${place}').submit()`,
  },
  worker: { script: (place) => `new Worker(${ofBlob(place)})` },
  'shared worker': { script: (place) => `new SharedWorker(${ofBlob(place)})` },
  'service worker': {
    script: (place) =>
      `navigator.serviceWorker.register('/service-worker.js?' + encodeURIComponent('${place}'), { scope: '/' + encodeURIComponent('${place}') })`,
    urlOnly: true,
  },
  preload: { html: (place) => `<link rel="preload" as="image" href="http://${place}/preload">` },
  modulepreload: { html: (place) => `<link rel="modulepreload" href="http://${place}/module">` },
  prefetch: { html: (place) => `<link rel="prefetch" href="http://${place}/prefetch">` },
  preconnect: {
    html: (place) => `<link rel="preconnect" href="https://${place}/">`,
    never: 'the headless shell opens no connection ahead',
  },
  'dns-prefetch': {
    html: (place) => `<link rel="dns-prefetch" href="http://${place}/">`,
    never: 'an address has no name to resolve, and nothing connects',
  },
  'speculation rules': {
    html: (place) => {
      const urls = [`http://${place}/speculation`];
      const rules = {
        prefetch: [{ urls, eagerness: 'immediate' }],
        prerender: [{ urls, eagerness: 'immediate' }],
      };
      return `<script type="speculationrules">${JSON.stringify(rules)}</script>`;
    },
    mute: 'nothing is loaded ahead through a proxy of a context',
  },
  'image by a redirect': {
    html: (place) => `<img src="/redirect?to=http://${place}/redirected">`,
    urlOnly: true,
  },
  'frame by a redirect': {
    html: (place) => `<iframe src="/redirect?to=http://${place}/redirected"></iframe>`,
    urlOnly: true,
  },
  'frame by a refresh': {
    html: (place) =>
      `<iframe srcdoc="<meta http-equiv=refresh content='0;url=http://${place}/refresh'>"></iframe>`,
  },
  'frame by a script': {
    html: (place) => `<iframe srcdoc="<script>location = 'http://${place}/located'</script>"></iframe>`,
  },
  STUN: { script: (place) => gather(`stun:${place}`), udp: true, mute: 'WebRTC has no UDP' },
  'TURN by UDP': {
    script: (place) => gather(`turn:${place}?transport=udp`),
    udp: true,
    mute: 'WebRTC has no UDP',
  },
  'TURN by TCP': { script: (place) => gather(`turn:${place}?transport=tcp`) },
  WebTransport: {
    script: (place) => `new WebTransport('https://${place}/')`,
    udp: true,
    mute: 'Chromium refuses it under a proxy',
  },
};

/** Ways in which a page navigates elsewhere. */
export const DEPARTURES: Readonly<Record<string, (place: string) => string>> = {
  'a refresh': (place) => `<meta http-equiv="refresh" content="0;url=http://${place}/">`,
  'a script': (place) => `<script>location = 'http://${place}/'</script>`,
  'a script after the load': (place) =>
    `<script>onload = () => setTimeout(() => { location = 'http://${place}/' }, 20)</script>`,
  'a form': (place) =>
    `<form action="http://${place}/" method="post"></form><script>document.forms[0].submit()</script>`,
};

function gather(url: string): string {
  const server = JSON.stringify({ urls: url, username: 'u', credential: 'c' });
  return `const p = new RTCPeerConnection({ iceServers: [${server}] }); p.createDataChannel('d'); p.createOffer().then((o) => p.setLocalDescription(o))`;
}

/** The document of a vector, aimed at these places. */
export function documentOf({ html, script }: Vector, places: readonly string[]): string {
  const parts = places.map((place) => html?.(place) ?? '').join('\n');
  const scripts = places
    .map((place) => (script ? `try { ${script(place)} } catch {}` : ''))
    .map((text) => `{ ${text} }`);
  return `<!doctype html><title>captured</title><p>page</p>${parts}<script>onunhandledrejection = (e) => e.preventDefault();\n${scripts.join('\n')}</script>`;
}
