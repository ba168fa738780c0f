import { parentPort, workerData } from 'node:worker_threads';
import { compareTexts, type NamedText } from './text-comparison.js';

const [before, now] = workerData as readonly [NamedText, NamedText];
parentPort?.postMessage(await compareTexts(before, now));
