import { parentPort, workerData } from 'node:worker_threads';
import { compareTexts, type NamedText } from './text-comparison.js';

const [before, now, twin] = workerData as readonly [NamedText, NamedText, NamedText?];
parentPort?.postMessage(await compareTexts(before, now, twin));
