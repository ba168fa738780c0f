/**
 * Storage: the captured files, by key. It does not know whose they are or how long they are kept, and it never serves a
 * partial file as a whole one.
 */
export { MemoryStorage } from './memory.storage.js';
export { FileNotFoundError, Storage, type ByteRange } from './storage.js';
export { StorageModule } from './storage.module.js';
