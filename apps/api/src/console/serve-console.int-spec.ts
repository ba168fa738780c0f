import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Application } from 'express';
import { ExpressAdapter } from '@nestjs/platform-express';
import { servePages } from './serve-console.js';

describe('the files of the console', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'console-'));
  const assets = path.join(folder, 'assets');

  beforeEach(() => {
    mkdirSync(assets, { recursive: true });
    writeFileSync(path.join(folder, 'index.html'), '<title>Console</title>');
    for (const name of ['a.js', 'a.js.br']) writeFileSync(path.join(assets, name), name);
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  it('are not found after a later build removed them, and the service goes on', async () => {
    const application = new ExpressAdapter().getInstance<Application>();
    const server = application.use(servePages(folder)).listen(0, '127.0.0.1');
    try {
      await new Promise((resolve) => server.once('listening', resolve));
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const status = async (name: string) => (await fetch(`${url}${name}`)).status;
      expect(await status('/assets/a.js')).toBe(200);
      rmSync(assets, { recursive: true });
      expect(await status('/assets/a.js')).toBe(404);
      expect(await status('/usage')).toBe(200);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});
