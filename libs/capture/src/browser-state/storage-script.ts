import { toSource } from '../pipeline/in-page.js';
import { readStorage, STORAGE_SCRIPTS } from './page-storage.js';

/** The expression that reads the storage of a document's origin, for clients that record a log-in on their own machine. */
export function storageScript(): string {
  return `(${toSource({ run: readStorage, uses: STORAGE_SCRIPTS })})(null)`;
}
