// `npm run bench [-- <name>] [options]` measures: without a name the service beside raw Puppeteer (run.ts), with `--gate` what a
// change to a capture has to show (gate.ts), else one of the parts below. `npm run soak` is `npm run bench -- soak`, `npm run
// pictures` is `npm run bench -- pictures`. It starts all that a measurement needs.
import path from 'node:path';
import { root } from '../apps/launcher/src/data-folder.mjs';
import { report } from '../apps/launcher/src/output.mjs';
import { provide } from '../apps/launcher/src/packages.mjs';
import { handOver, isNode24 } from '../apps/launcher/src/runtime.mjs';

const PARTS = {
  '--gate': 'gate.js',
  animations: 'animations.js',
  accounting: 'accounting.js',
  alarms: 'alarms/run.js',
  backlog: 'backlog.js',
  bulk: 'bulk.js',
  cache: 'cache.js',
  clean: 'clean.js',
  'console-pictures': 'console-pictures.js',
  'crawl-steps': 'crawl-steps.js',
  crawls: 'crawls.js',
  egress: 'egress.js',
  enqueue: 'enqueue.js',
  history: 'history.js',
  isolation: 'isolation.js',
  monitors: 'monitors/run.js',
  outputs: 'outputs.js',
  pictures: 'pictures.js',
  ready: 'ready.js',
  scale: 'scale.js',
  sessions: 'sessions.js',
  'session-share': 'session-share.js',
  soak: 'soak/run.js',
  start: 'start.js',
  waiting: 'waiting.js',
};

try {
  await provide('everything');
  if (isNode24()) await measure();
  else await handOver(process.argv.slice(1));
} catch (error) {
  report(error);
  process.exit(1);
}

async function measure() {
  const part = PARTS[process.argv[2]];
  // What measures reads its options from the command line.
  if (part !== undefined) process.argv.splice(2, 1);
  const { startServices } = await import('../test/support/services.mjs');
  const services = await startServices({ durable: true });
  try {
    await import(path.join(root, 'dist/bench', part ?? 'run.js'));
  } finally {
    await services.stop();
  }
}
