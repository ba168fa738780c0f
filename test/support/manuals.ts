import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { hasApt, unpackPackages } from '../../apps/launcher/src/apt.mjs';
import { dataFolder } from '../../apps/launcher/src/data-folder.mjs';

const DOC = 'usr/share/doc';
const PACKAGES = ['debian-handbook', 'postgresql-doc'];
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.css': 'text/css',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
};

/** Whether this machine has the manuals, or is a Debian or Ubuntu that can fetch them. */
export const canProvideManuals = (): boolean => hasApt() || foldersIn('/').length === PACKAGES.length;

/**
 * Ordinary pages that nobody wrote for a test: the Debian handbook and the PostgreSQL manual, served on loopback. Their
 * packages are fetched once into the data folder where the system does not have them.
 */
export class Manuals {
  private constructor(
    private readonly server: Server,
    private readonly folders: readonly string[],
  ) {}

  static async open(): Promise<Manuals> {
    const folders = await provideManuals();
    const server = createServer((request, response) => {
      const { pathname } = new URL(request.url ?? '/', 'http://manuals.test');
      const [, number = '', ...rest] = path.posix.normalize(pathname).split('/');
      const file = path.join(folders[Number(number)] ?? '', ...rest);
      const type = { 'content-type': TYPES[path.extname(file)] ?? 'application/octet-stream' };
      readFile(file).then(
        (bytes) => response.writeHead(200, type).end(bytes),
        () => response.writeHead(404).end(),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new Manuals(server, folders);
  }

  /** URLs of `count` pages of each manual, spread evenly over it. */
  pages(count: number): string[] {
    const { port } = this.server.address() as AddressInfo;
    return this.folders.flatMap((folder, number) => {
      const names = readdirSync(folder).filter((name) => name.endsWith('.html'));
      const step = Math.max(1, Math.floor(names.length / count));
      const some = names.sort().filter((_, at) => at % step === 0);
      return some.slice(0, count).map((name) => `http://127.0.0.1:${port}/${number}/${name}`);
    });
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}

async function provideManuals(): Promise<string[]> {
  if (foldersIn('/').length === PACKAGES.length) return foldersIn('/');
  const into = path.join(dataFolder(), 'tools/manuals');
  if (foldersIn(into).length < PACKAGES.length) {
    await unpackPackages({ packages: PACKAGES, into, withDependencies: true });
  }
  const found = foldersIn(into);
  if (found.length === PACKAGES.length) return found;
  throw new Error(`The manuals are missing. Install them: apt install ${PACKAGES.join(' ')}`);
}

/** The folders of the HTML pages below a root; the manual of PostgreSQL has its version in its name. */
function foldersIn(root: string): string[] {
  const docs = path.join(root, DOC);
  const names = existsSync(docs) ? readdirSync(docs) : [];
  const versions = names.filter((name) => /^postgresql-doc-\d+$/.test(name));
  return [
    path.join(docs, 'debian-handbook/html/en-US'),
    ...versions.map((name) => path.join(docs, name, 'html')),
  ]
    .filter((folder) => existsSync(folder))
    .slice(0, PACKAGES.length);
}
