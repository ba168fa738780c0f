import { statfsSync } from 'node:fs';
import { defaultArgs } from 'puppeteer';

/**
 * The host name that stands for 127.0.0.1 in the addresses of proxies. A target on 127.0.0.1 that sends `Clear-Site-Data`
 * makes Chromium drop the credentials of all servers of that name, which must not include the proxies.
 */
const PROXY_HOST = 'egress-proxy.invalid';

/** Converts the address of a proxy (`http://127.0.0.1:<port>`) for the browser. */
export function proxyServerOf(proxyUrl: string): string {
  return proxyUrl.replace('//127.0.0.1:', `//${PROXY_HOST}:`);
}

/**
 * The header of a desktop browser in American English. Scripts see the same languages without the weights, by an override in
 * each prepared page.
 */
const ACCEPT_LANGUAGE = 'en-US,en;q=0.9';
export const LANGUAGES = 'en-US,en';

/**
 * The flags in addition to Puppeteer's, each with its reason. Puppeteer sets some of them, too; those that the service relies
 * on are listed here, so that a change of Puppeteer's defaults has no effect.
 */
export const LAUNCH_FLAGS = {
  '--block-new-web-contents':
    'A page that opens windows in a loop blocks its own load: without this flag 1,000 calls of window.open exceed any timeout.',
  '--disable-gpu':
    'Servers have no GPU. Full-page pictures were verified with this flag: every row is right up to 100 megapixels.',
  '--hide-scrollbars': 'A scrollbar disturbs a picture and narrows the layout.',
  '--font-render-hinting=none':
    'Hinting snaps glyphs to pixels, so that widths and line breaks would differ between a picture and a PDF.',
  '--force-color-profile=srgb': 'Colours must not depend on the machine.',
  '--lang=en-US': 'The default language of pages must not depend on the machine.',
  [`--accept-lang=${ACCEPT_LANGUAGE}`]:
    'Without it the headless shell sends no Accept-Language, unlike any real browser. The value is sent unchanged.',
  '--screen-info={1920x1080}':
    'The default screen of a headless shell is 800 × 600, which is smaller than the window. Larger windows set their own.',
  '--window-size=1280,800':
    'The window of a prepared page; otherwise `outerWidth` would be less than `innerWidth`.',
  '--mute-audio': 'Nobody listens, and decoding takes time.',
  '--autoplay-policy=user-gesture-required': 'A page with a playing video never settles.',
  '--deny-permission-prompts': 'Nobody answers a prompt, so a page that waits for the answer would hang.',
  '--disable-print-preview': 'window.print() must not open a dialog.',
  '--disable-back-forward-cache':
    'Pages of a chain of redirects would keep their memory, although they are never returned to.',
  '--js-flags=--max-old-space-size=512':
    'The limit of the JavaScript heap of a page, in MB: the page crashes before the machine runs out of memory.',
  '--no-startup-window': 'Nothing uses the first page, whose process takes 9 MB.',
  '--no-first-run': 'No welcome page.',
  '--no-default-browser-check': 'No dialog.',

  '--proxy-server=http://127.0.0.1:9':
    'Egress: each context has a proxy of its own; requests without a context go to a port without a listener.',
  '--proxy-bypass-list=<-loopback>':
    'Egress: without it Chromium reaches 127/8, ::1, localhost and 169.254/16 without any proxy.',
  [`--host-resolver-rules=MAP ${PROXY_HOST} 127.0.0.1 , MAP * ~NOTFOUND , EXCLUDE 127.0.0.1`]:
    'Egress: the proxy resolves names. Anything that bypasses it, such as DNS prefetch, resolves only the name of the proxy.',
  '--disable-quic': 'Egress: HTTP/3 uses UDP, which the proxy does not see.',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp':
    'Egress: WebRTC sends UDP without any proxy. Both flags are needed; with only one, packets were seen.',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp': 'Egress: the second flag.',
  '--no-pings': 'Egress: <a ping> reports clicks to a third party.',
  '--disable-domain-reliability': 'Egress: reports of failed loads to Google.',
  '--disable-component-update': 'Egress: downloads of components of Chromium during a capture.',
  '--disable-background-networking': 'Egress: update checks, Safe Browsing lists, field trials.',
  '--disable-field-trial-config':
    'With field trials two browsers of the same version could behave differently.',
  '--disable-sync': 'Egress: there is no account.',
  '--disable-breakpad': 'A crash reporter would leave the process group and outlive the browser.',
  '--enable-features=SplitCacheByNetworkIsolationKey,NetworkServiceInProcess2':
    'A page must not get cached responses of another site, which may be private when the caller sets headers.',
  '--disable-features=HttpsUpgrades':
    'A URL is captured as requested: full Chromium would try https:// first.',
} as const satisfies Record<`--${string}`, string>;

/**
 * Added only where /dev/shm is small: by default that of a container has 64 MB, and Chromium crashes when it is full. It then
 * shares memory through files in TMPDIR, which are not counted as memory where TMPDIR is on a disk.
 */
export const SMALL_SHARED_MEMORY_FLAG = '--disable-dev-shm-usage';
const MIN_SHARED_MEMORY_BYTES = 2 ** 30;

/** The flags of Puppeteer that are removed, with their effects. */
export const DROPPED_FLAGS = {
  '--disable-popup-blocking': 'It lets a page open any number of windows.',
  '--disable-ipc-flooding-protection':
    'It lets a page flood the browser process with navigations and history entries.',
  '--no-sandbox':
    'Puppeteer adds it for an environment variable of its own; only the setting of the service decides.',
} as const satisfies Record<`--${string}`, string>;

export interface LaunchChoice {
  readonly profile: string;
  /** Whether Chromium's sandbox is on. */
  readonly sandbox: boolean;
  /** Size of the file system for shared memory; by default that of /dev/shm. */
  readonly sharedMemoryBytes?: number;
}

/** The command line of a browser, which communicates by pipes on file descriptors 3 and 4, never by a port. */
export async function launchArgs({
  profile,
  sandbox,
  sharedMemoryBytes = sizeOf('/dev/shm'),
}: LaunchChoice): Promise<string[]> {
  const defaults = await defaultArgs({
    headless: 'shell',
    userDataDir: profile,
    args: Object.keys(LAUNCH_FLAGS),
  });
  // Puppeteer adds the address of a first page, too.
  const flags = defaults.filter(
    (word) => word.startsWith('--') && !(word in DROPPED_FLAGS) && word !== SMALL_SHARED_MEMORY_FLAG,
  );
  const chosen = [
    ...(sandbox ? [] : ['--no-sandbox']),
    ...(sharedMemoryBytes < MIN_SHARED_MEMORY_BYTES ? [SMALL_SHARED_MEMORY_FLAG] : []),
  ];
  return [...new Set([...flags, ...chosen, '--remote-debugging-pipe'])];
}

/** The size in bytes of a file system; 0 where it does not exist. */
function sizeOf(folder: string): number {
  try {
    const { bsize, blocks } = statfsSync(folder);
    return bsize * blocks;
  } catch {
    return 0;
  }
}
