/**
 * What a program with Puppeteer alone would do: one warm browser, a new context for each capture. It runs in a process of
 * its own, so that its CPU time and memory are not those of the bench.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import puppeteer, { type Browser } from 'puppeteer';
import { runRound, type Round } from './round.js';

const folder = mkdtempSync(path.join(os.tmpdir(), 'capture-bench-'));
const browser = await puppeteer.launch({
  headless: 'shell',
  executablePath: sandboxed(process.env.PUPPETEER_EXECUTABLE_PATH ?? ''),
  pipe: true,
  args: process.env.CHROMIUM_SANDBOX === 'off' ? ['--no-sandbox'] : [],
});

process.on('message', (round: Round) => {
  void runRound(round, (url) => capture(browser, url)).then((result) => process.send?.(result));
});
process.on('disconnect', () => {
  void browser.close().finally(() => {
    rmSync(folder, { recursive: true, force: true });
    process.exit(0);
  });
});
process.send?.('ready');

async function capture(from: Browser, url: string): Promise<void> {
  const context = await from.createBrowserContext();
  const page = await context.newPage();
  await page.setViewport({ width: 1280, height: 800 });
  await page.goto(url, { waitUntil: 'load' });
  await page.screenshot({ type: 'png' });
  await context.close();
}

/** As root, Chromium has a sandbox only inside a user namespace, in which the service runs it too. */
function sandboxed(browserPath: string): string {
  if (process.getuid?.() !== 0 || process.env.CHROMIUM_SANDBOX === 'off') return browserPath;
  const script = path.join(folder, 'chromium');
  const command = `exec unshare --user --map-user=65534 --map-group=65534 -- '${browserPath}' "$@"`;
  writeFileSync(script, `#!/bin/sh\n${command}\n`, { mode: 0o755 });
  return script;
}
