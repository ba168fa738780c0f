/**
 * Process: how a process of the service starts, logs and ends. It knows nothing of its work.
 */
export { readBuildInfo, type BuildInfo } from './build-info.js';
export { collectBuffersWithTheHeap } from './garbage-collection.js';
export { listen } from './listen.js';
export { loggerOptions } from './logger-options.js';
export { runProcess } from './run-process.js';
