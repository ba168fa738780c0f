/**
 * The engine: drives a browser from options to a file. Only the worker may import it, because it needs a browser. It must not
 * know jobs, storage or callers.
 */
export { fillState } from '../browser-state/move-state.js';
export { CaptureEngine, type EngineParts } from './capture-engine.js';
