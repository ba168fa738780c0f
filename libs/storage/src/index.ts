/**
 * Storage: the captured files, by key. It knows neither whose file it is nor how long it is kept, and it never serves
 * part of a file as the whole.
 */
export { MemoryStorage } from './memory.storage.js';
export { FileNotFoundError, Storage, type ByteRange } from './storage.js';
export { StorageModule } from './storage.module.js';
