import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { startApps, type Apps } from './apps.js';
import { startFixtureSite, type FixtureSite } from './fixture-site.js';

/** The service beside test/site/noisy-shop.html, whose ads and widgets come from hosts of their own. */
export interface NoisyShop extends AsyncDisposable {
  readonly apps: Apps;
  readonly site: FixtureSite;
  /** The shop under a name of its own. */
  readonly url: string;
}

/** Starts both. `settings` are variables of libs/config. */
export async function startNoisyShop(settings: Readonly<Record<string, string>> = {}): Promise<NoisyShop> {
  const names = JSON.parse(await readFile('test/site/noisy-shop/hosts.json', 'utf8')) as string[];
  const preload = pathToFileURL(path.resolve('test/support/fixture-names.mjs')).href;
  await using started = new AsyncDisposableStack();
  const site = started.use(await startFixtureSite());
  const apps = started.use(
    await startApps({
      EGRESS_ALLOW: ['127.0.0.1', ...names].map((name) => `${name}:${site.port}`).join(),
      FIXTURE_NAMES: names.join(),
      NODE_OPTIONS: `--import=${preload}`,
      ...settings,
    }),
  );
  const all = started.move();
  return {
    apps,
    site,
    url: `http://${names[0] ?? ''}:${site.port}/noisy-shop.html`,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
