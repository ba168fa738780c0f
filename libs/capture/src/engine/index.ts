/**
 * The engine: drives a browser from options to a file. Only the worker may import it, because it needs a browser. It must not
 * know jobs, storage or callers.
 */
export { CaptureEngine, type EngineParts } from './capture-engine.js';
