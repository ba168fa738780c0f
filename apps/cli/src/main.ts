#!/usr/bin/env node
import { CliContext } from './context/cli-context.js';
import { run } from './run.js';

const context = new CliContext(process);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => context.interrupt(signal));
// A reader such as `head` has read enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
process.stderr.on('error', () => {});
process.exitCode = await run(process.argv.slice(2), context);
