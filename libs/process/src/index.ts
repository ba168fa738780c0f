/**
 * Process: how each of our processes starts, logs and ends. It knows nothing of what they do in between.
 */
export { loggerOptions } from './logger-options.js';
export { runProcess } from './run-process.js';
