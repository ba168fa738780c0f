import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { MANUAL_PACKAGES, Manuals, manualsIn } from '../../test/support/manual-site.js';
import type * as Apt from '../../apps/launcher/src/apt.mjs';
import { applyChange, CHANGES, PANEL, type SeededChange } from './changes.js';
import { KINDS, noiseOf } from './noise.js';

/** Pages of real manuals with noise that differs at every request, and with changes that the bench makes. */
export interface NoisySite extends AsyncDisposable {
  readonly port: number;
  /** Pages on which nothing but noise changes. */
  readonly quiet: readonly string[];
  /** A page for each change, with noise as well. */
  readonly changing: readonly string[];
  /** Makes all changes. */
  change(): void;
}

export async function serveNoisySite(): Promise<NoisySite> {
  const manuals = await Manuals.serve(await provideManuals());
  const bodies = manuals.pages(KINDS / 2).map((url) => new URL(url));
  const state = { isChanged: false };
  const server = createServer((request, response) => {
    const [, kind = '', number = '', ...rest] = (request.url ?? '/').split('/');
    const change = kind === 'changing' && state.isChanged ? CHANGES[Number(number)] : undefined;
    pageOf(new URL(`/${rest.join('/')}`, bodies[0]), Number(number), change).then(
      ({ type, body }) => response.writeHead(200, { 'content-type': type }).end(body),
      (error: unknown) => {
        console.error(error);
        response.writeHead(500).end();
      },
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const urlOf = (kind: string, number: number): string =>
    `http://127.0.0.1:${port}/${kind}/${number}${bodies[number % bodies.length]?.pathname ?? ''}`;
  return {
    port,
    quiet: bodies.map((_, number) => urlOf('quiet', number)),
    changing: CHANGES.map((_, number) => urlOf('changing', number)),
    change: () => {
      state.isChanged = true;
    },
    [Symbol.asyncDispose]: async () => {
      manuals.close();
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
}

/** What is built has no modules of the launcher, which runs as it is. */
const APT = pathToFileURL(path.resolve('apps/launcher/src/apt.mjs')).href;
const MANUALS = path.resolve('.data/tools/manuals');

async function provideManuals(): Promise<string[]> {
  if (manualsIn(MANUALS).length < MANUAL_PACKAGES.length) {
    const { unpackPackages } = (await import(APT)) as typeof Apt;
    await unpackPackages({ packages: MANUAL_PACKAGES, into: MANUALS, withDependencies: true });
  }
  return manualsIn(MANUALS);
}

/** A file of the manual; a page begins with the noise of its number and the panel. */
async function pageOf(
  url: URL,
  number: number,
  change: SeededChange | undefined,
): Promise<{ readonly type: string; readonly body: Buffer | string }> {
  const answer = await fetch(url);
  const type = answer.headers.get('content-type') ?? 'application/octet-stream';
  const bytes = Buffer.from(await answer.arrayBuffer());
  if (type !== 'text/html') return { type, body: bytes };
  const original = bytes.toString();
  const html = original.replace(/<body[^>]*>/, (tag) => `${tag}${noiseOf(number % KINDS)}${PANEL}`);
  if (html === original) throw new Error(`${url.pathname} has no body.`);
  return { type: 'text/html; charset=utf-8', body: change ? applyChange(html, change) : html };
}
