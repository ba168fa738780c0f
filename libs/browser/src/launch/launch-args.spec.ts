import { afterEach, describe, expect, it } from '@jest/globals';
import { DROPPED_FLAGS, LAUNCH_FLAGS, launchArgs, SMALL_SHARED_MEMORY_FLAG } from './launch-args.js';

afterEach(() => {
  delete process.env.PUPPETEER_DANGEROUS_NO_SANDBOX;
});

describe(launchArgs.name, () => {
  it('contains each added flag once, and no removed one', async () => {
    const args = await launchArgs({ profile: '/profile', sandbox: true });
    for (const flag of Object.keys(LAUNCH_FLAGS)) {
      if (!/^--(en|dis)able-features=/.test(flag)) expect(args).toContain(flag);
    }
    for (const flag of Object.keys(DROPPED_FLAGS)) expect(args).not.toContain(flag);
    expect(args).toHaveLength(new Set(args).size);
  });

  it.each([
    ...['--proxy-server=http://127.0.0.1:9', '--proxy-bypass-list=<-loopback>', '--disable-quic'],
    ...['--webrtc-ip-handling-policy=disable_non_proxied_udp'],
    ...['--force-webrtc-ip-handling-policy=disable_non_proxied_udp', '--no-pings'],
    ...['--disable-domain-reliability', '--disable-component-update', '--disable-background-networking'],
    ...['--disable-sync', '--disable-breakpad', '--disable-print-preview', '--deny-permission-prompts'],
    ...['--block-new-web-contents', '--js-flags=--max-old-space-size=512', '--disable-back-forward-cache'],
    '--host-resolver-rules=MAP egress-proxy.invalid 127.0.0.1 , MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
  ])('keeps a page from the network and from the machine by %s', async (flag) => {
    expect(await launchArgs({ profile: '/profile', sandbox: true })).toContain(flag);
  });

  it.each([
    ['--disable-features=', /\bTranslate\b.*\bHttpsUpgrades\b/],
    ['--enable-features=', /\bPdfOopif\b.*\bSplitCacheByNetworkIsolationKey\b/],
  ])('adds our features to those of Puppeteer in one %s, as Chromium reads only one', async (name, all) => {
    const args = await launchArgs({ profile: '/profile', sandbox: true });
    const flags = args.filter((flag) => flag.startsWith(name));
    expect(flags).toHaveLength(1);
    expect(flags[0]).toMatch(all);
  });

  it('opens no port and uses the given profile', async () => {
    const args = await launchArgs({ profile: '/profile', sandbox: true });
    expect(args).toContain('--remote-debugging-pipe');
    expect(args.filter((flag) => flag.startsWith('--remote-debugging-'))).toHaveLength(1);
    expect(args).toContain('--user-data-dir=/profile');
    expect(args).toContain('--headless');
  });

  it('disables the sandbox only on request', async () => {
    process.env.PUPPETEER_DANGEROUS_NO_SANDBOX = 'true';
    expect(await launchArgs({ profile: '/profile', sandbox: true })).not.toContain('--no-sandbox');
    expect(await launchArgs({ profile: '/profile', sandbox: false })).toContain('--no-sandbox');
  });

  it.each([
    [2 ** 26, true],
    [2 ** 33, false],
  ])(
    'shares memory through files of TMPDIR only where /dev/shm is small: %d bytes',
    async (sharedMemoryBytes, isAdded) => {
      const args = await launchArgs({ profile: '/profile', sandbox: true, sharedMemoryBytes });
      expect(args.includes(SMALL_SHARED_MEMORY_FLAG)).toBe(isAdded);
    },
  );
});
