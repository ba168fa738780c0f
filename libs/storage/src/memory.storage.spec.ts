import { describe } from '@jest/globals';
import { MemoryStorage } from './memory.storage.js';
import { conformsToStorage } from './storage.conformance.js';

describe(MemoryStorage.name, () => {
  conformsToStorage(() => new MemoryStorage());
});
