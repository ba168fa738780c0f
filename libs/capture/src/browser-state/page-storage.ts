import type { OriginState, StateDatabase, StateStore, StoredText } from '../pipeline/browser-state.js';
import { bytesOf, decodeValue, encodeValue, isPlainJson } from './encoded-value.js';

/** What a script of this file needs besides itself. */
export const STORAGE_SCRIPTS = [
  ...[isPlainJson, encodeValue, bytesOf, decodeValue],
  ...[settled, opened, fillDatabase, fillStore, readDatabase, readStore, readTextsOf],
];

/** Runs in the page. */
function settled<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => {
      resolve(request.result);
    };
    request.onerror = () => {
      reject(request.error ?? new Error('IndexedDB'));
    };
  });
}

/** Runs in the page. Fills the storage of its origin. */
export async function fillStorage({
  localStorage: local,
  sessionStorage: session,
  indexedDB: databases,
}: OriginState): Promise<null> {
  for (const { name, value } of local) localStorage.setItem(name, value);
  for (const { name, value } of session ?? []) sessionStorage.setItem(name, value);
  await Promise.all((databases ?? []).map(fillDatabase));
  return null;
}

/** Runs in the page. One transaction makes the database with its records. */
async function fillDatabase({ name, version, stores }: StateDatabase): Promise<void> {
  const database = await opened(name, version, (created) => {
    for (const store of stores) fillStore(created, store);
  });
  database.close();
}

/** Runs in the page. */
function fillStore(database: IDBDatabase, { name, indexes, records, ...given }: StateStore): void {
  const { keyPath, keyPathArray, autoIncrement } = given;
  const path = keyPathArray ? [...keyPathArray] : (keyPath ?? null);
  const store = database.createObjectStore(name, { keyPath: path, autoIncrement });
  for (const index of indexes) {
    const { multiEntry, unique } = index;
    const of = index.keyPathArray ? [...index.keyPathArray] : (index.keyPath ?? '');
    store.createIndex(index.name, of, { multiEntry, unique });
  }
  for (const record of records) {
    const value = 'valueEncoded' in record ? decodeValue(record.valueEncoded) : record.value;
    const key = 'keyEncoded' in record ? decodeValue(record.keyEncoded) : record.key;
    if (path === null) store.put(value, key as IDBValidKey);
    else store.put(value);
  }
}

/** Runs in the page. */
function opened(
  name: string,
  version?: number,
  onCreated?: (database: IDBDatabase) => void,
): Promise<IDBDatabase> {
  const request = indexedDB.open(name, version);
  request.onupgradeneeded = () => {
    onCreated?.(request.result);
  };
  return settled(request);
}

/** Runs in the page. Reads the storage of its origin. */
export async function readStorage(): Promise<Omit<OriginState, 'origin'>> {
  const databases: StateDatabase[] = [];
  for (const { name } of await indexedDB.databases()) {
    if (name !== undefined) databases.push(await readDatabase(name));
  }
  return {
    localStorage: readTextsOf(localStorage),
    sessionStorage: readTextsOf(sessionStorage),
    indexedDB: databases,
  };
}

/** Runs in the page. */
function readTextsOf(storage: Storage): StoredText[] {
  return Object.keys(storage).map((name) => ({ name, value: storage.getItem(name) ?? '' }));
}

/** Runs in the page. */
async function readDatabase(name: string): Promise<StateDatabase> {
  const database = await opened(name);
  const stores: StateStore[] = [];
  for (const store of database.objectStoreNames) stores.push(await readStore(database, store));
  const { version } = database;
  database.close();
  return { name, version, stores };
}

/** Runs in the page. */
async function readStore(database: IDBDatabase, name: string): Promise<StateStore> {
  const store = database.transaction(name, 'readonly').objectStore(name);
  const pathOf = (path: string | readonly string[] | null) =>
    path === null ? {} : typeof path === 'string' ? { keyPath: path } : { keyPathArray: [...path] };
  const indexes = [...store.indexNames].map((index) => {
    const { keyPath, multiEntry, unique } = store.index(index);
    return { name: index, ...pathOf(keyPath), multiEntry, unique };
  });
  const [keys, values] = await Promise.all([settled(store.getAllKeys()), settled<unknown[]>(store.getAll())]);
  const records = values.map((value, i) => {
    const key = keys[i];
    return {
      ...(isPlainJson(value) ? { value } : { valueEncoded: encodeValue(value) }),
      ...(store.keyPath === null && (isPlainJson(key) ? { key } : { keyEncoded: encodeValue(key) })),
    };
  });
  return { name, ...pathOf(store.keyPath), autoIncrement: store.autoIncrement, indexes, records };
}
