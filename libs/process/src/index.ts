/**
 * Process: how a process of the service starts, logs and ends. It knows nothing of its work.
 */
export { loggerOptions } from './logger-options.js';
export { runProcess } from './run-process.js';
