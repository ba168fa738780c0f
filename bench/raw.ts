/**
 * What a program with Puppeteer alone would do: one warm browser, a new context for each capture. Runs as a process
 * of its own, so that its CPU and memory are told apart from the bench's.
 */
import puppeteer, { type Browser } from 'puppeteer';
import { runRound, type Round } from './round.js';

const browser = await puppeteer.launch({
  headless: 'shell',
  executablePath: process.env.BENCH_BROWSER,
  pipe: true,
  args: process.env.BENCH_BROWSER_ARGS?.split(' ') ?? [],
});

process.on('message', (round: Round) => {
  void runRound(round, (url) => capture(browser, url)).then((result) => process.send?.(result));
});
process.on('disconnect', () => {
  void browser.close().finally(() => process.exit(0));
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
