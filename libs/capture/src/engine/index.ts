/**
 * The engine: drives a browser from options to a file. Only the worker may open this door; whoever imports it needs a
 * browser. It knows nothing of jobs, of storage or of who asked.
 */
export { CaptureEngine, type EngineLimits } from './capture-engine.js';
