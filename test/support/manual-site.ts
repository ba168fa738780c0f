import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';

const DOC = 'usr/share/doc';
/** The packages of Debian that hold the manuals. */
export const MANUAL_PACKAGES = ['debian-handbook', 'postgresql-doc'];
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.css': 'text/css',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
};

/**
 * Ordinary pages that nobody wrote for a test: the Debian handbook and the PostgreSQL manual, served on loopback.
 */
export class Manuals {
  private constructor(
    private readonly server: Server,
    private readonly folders: readonly string[],
  ) {}

  /** @param folders of their pages, as `manualsIn` finds them */
  static async serve(folders: readonly string[]): Promise<Manuals> {
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

/** The folders of the HTML pages below a root; the manual of PostgreSQL has its version in its name. */
export function manualsIn(root: string): string[] {
  const docs = path.join(root, DOC);
  const names = existsSync(docs) ? readdirSync(docs) : [];
  const versions = names.filter((name) => /^postgresql-doc-\d+$/.test(name));
  return [
    path.join(docs, 'debian-handbook/html/en-US'),
    ...versions.map((name) => path.join(docs, name, 'html')),
  ]
    .filter((folder) => existsSync(folder))
    .slice(0, MANUAL_PACKAGES.length);
}
