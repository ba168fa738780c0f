import { parentPort, workerData } from 'node:worker_threads';
import { compileLists, type ListText } from '../rules/compile-filters.js';

const { compiled, counts } = compileLists(workerData as readonly ListText[]);
parentPort?.postMessage(
  { compiled, counts },
  Object.values(compiled.parts).map(({ buffer }) => buffer as ArrayBuffer),
);
