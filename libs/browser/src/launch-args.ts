import { defaultArgs } from 'puppeteer';

/**
 * The name by which browsers know the address of their proxies, 127.0.0.1. A target there that answers with `Clear-Site-Data` makes
 * Chromium forget the credentials of all hosts of that name, which the proxy's must not be among.
 */
const PROXY_HOST = 'egress-proxy.invalid';

/** The address of a proxy (`http://127.0.0.1:<port>`) as browsers take it. */
export function proxyServerOf(proxyUrl: string): string {
  return proxyUrl.replace('//127.0.0.1:', `//${PROXY_HOST}:`);
}

/**
 * What a desktop browser in American English sends. Scripts see the same languages without the weights, by an override of each
 * prepared page.
 */
const ACCEPT_LANGUAGE = 'en-US,en;q=0.9';
export const LANGUAGES = 'en-US,en';

/**
 * Flags that we add to Puppeteer's own, each with the reason it is there. Some of them Puppeteer sets today too: those
 * we rely on are stated, so that a change of its defaults does not change ours.
 */
export const LAUNCH_FLAGS = {
  '--block-new-web-contents':
    'A page that opens windows in a loop stalls its own load: without this, 1,000 calls of window.open outlast any deadline.',
  '--disable-gpu':
    'Servers have none. Also what full-page pictures were checked with: every row right up to 100 megapixels.',
  '--hide-scrollbars': 'A scrollbar in a picture is noise, and it narrows the layout.',
  '--font-render-hinting=none':
    'Hinting snaps glyphs to pixels: widths, and so line breaks, would differ between a picture and a PDF.',
  '--force-color-profile=srgb': 'Colours must not depend on the machine.',
  '--lang=en-US': 'Default language of pages, whatever the machine is set to.',
  [`--accept-lang=${ACCEPT_LANGUAGE}`]:
    'Without it the headless shell sends no Accept-Language, which no real browser leaves out. It is sent as it stands here.',
  '--screen-info={1920x1080}':
    'The screen of a headless shell is 800 × 600 otherwise: smaller than the window. Larger windows set their own.',
  '--window-size=1280,800':
    'As large as the window of a prepared page, or `outerWidth` would be less than `innerWidth`.',
  '--mute-audio': 'Nobody listens, and decoding costs.',
  '--autoplay-policy=user-gesture-required': 'A video that plays never lets the page settle.',
  '--deny-permission-prompts': 'Nobody answers a prompt; a page that waits for the answer would hang.',
  '--disable-print-preview': 'window.print() must not open a dialog.',
  '--disable-back-forward-cache':
    'A page we never return to would keep its memory through a chain of redirects.',
  '--js-flags=--max-old-space-size=512':
    'JavaScript heap of one page in MB: the page dies of it, not the machine.',
  '--disable-dev-shm-usage':
    'A container gives /dev/shm 64 MB by default; Chromium crashes when it is full. TMPDIR is used instead.',
  '--no-first-run': 'No welcome page.',
  '--no-default-browser-check': 'No question.',

  '--proxy-server=http://127.0.0.1:9':
    'Egress: each context has a proxy of its own; what belongs to none goes to a port where nobody listens.',
  '--proxy-bypass-list=<-loopback>':
    'Egress: without it Chromium reaches 127/8, ::1, localhost and 169.254/16 past any proxy.',
  [`--host-resolver-rules=MAP ${PROXY_HOST} 127.0.0.1 , MAP * ~NOTFOUND , EXCLUDE 127.0.0.1`]:
    'Egress: the proxy resolves. What goes past it, such as DNS prefetch, finds no name; only the proxy is found.',
  '--disable-quic': 'Egress: HTTP/3 is UDP, which no proxy of ours can see.',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp':
    'Egress: WebRTC sends UDP past any proxy. Both spellings are needed; with one, packets were seen.',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp': 'Egress: the other spelling.',
  '--no-pings': 'Egress: <a ping> reports clicks to a third party.',
  '--disable-domain-reliability': 'Egress: Google’s report of failed loads.',
  '--disable-component-update': 'Egress: downloads of Chromium’s parts in the middle of a capture.',
  '--disable-background-networking': 'Egress: update checks, Safe Browsing lists, field trials.',
  '--disable-field-trial-config': 'Field trials would make two browsers of one version behave differently.',
  '--disable-sync': 'Egress: there is no account.',
  '--disable-breakpad': 'A crash reporter leaves the process group and outlives the browser.',
  '--enable-features=SplitCacheByNetworkIsolationKey':
    'A page is not answered from what another site loaded: with a caller’s headers that answer may be private.',
  '--disable-features=HttpsUpgrades':
    'A URL is captured as it was asked for: full Chromium would try https:// first.',
} as const satisfies Record<`--${string}`, string>;

/** Puppeteer's own flags that we take out, with what they would do. */
export const DROPPED_FLAGS = {
  '--disable-popup-blocking': 'It lets a page open any number of windows.',
  '--disable-ipc-flooding-protection':
    'It lets a page flood the browser process with navigations and history entries.',
  '--no-sandbox':
    'Puppeteer adds it when an environment variable of its own is set; only our setting decides.',
} as const satisfies Record<`--${string}`, string>;

export interface LaunchChoice {
  readonly profile: string;
  /** Whether Chromium's sandbox is on. */
  readonly sandbox: boolean;
}

/** The command line of one browser; it talks through pipes on file descriptors 3 and 4, never through a port. */
export async function launchArgs({ profile, sandbox }: LaunchChoice): Promise<string[]> {
  const defaults = await defaultArgs({
    headless: 'shell',
    userDataDir: profile,
    args: Object.keys(LAUNCH_FLAGS),
  });
  const flags = defaults.filter((flag) => !(flag in DROPPED_FLAGS));
  return [...new Set([...flags, ...(sandbox ? [] : ['--no-sandbox']), '--remote-debugging-pipe'])];
}
