import type { OriginState } from '../pipeline/browser-state.js';
import { fillStorage, STORAGE_SCRIPTS } from './page-storage.js';

/** What scripts of this file need besides themselves. */
export const FILL_SCRIPTS = [...STORAGE_SCRIPTS, fillStorage, isFirstOfOrigin];
export const LISTING_SCRIPTS = [waitForTurn];

/** The isolated world of a document, with the outcomes of what fills its storage. */
interface FillingWorld {
  storageFills?: readonly Promise<boolean>[];
}

/** How a document was filled; `none` for one of another origin, or of an opaque one, as sandboxed documents have. */
export type FillOutcome = 'filled' | 'failed' | 'none';

/** Runs in the page, when its document begins. What the page has changed in its first document is not filled in again. */
export function beginFill(state: OriginState): void {
  const world = globalThis as FillingWorld;
  const isFilled = state.indexedDB === undefined && !isFirstOfOrigin();
  const filled = (isFilled ? Promise.resolve() : fillStorage(state)).then(
    () => true,
    () => false,
  );
  world.storageFills = [...(world.storageFills ?? []), filled];
}

/** Runs in the page. Whether the document before this one was of another origin. */
function isFirstOfOrigin(): boolean {
  return navigation.activation?.from == null;
}

/** Runs in the page. How the document has been filled, once that is known. */
export async function readOutcome(): Promise<FillOutcome> {
  const { storageFills } = globalThis as FillingWorld;
  if (storageFills === undefined) return 'none';
  return (await Promise.all(storageFills)).includes(false) ? 'failed' : 'filled';
}

/**
 * Runs in the page when its document begins, in the world of its own scripts. The browser serves the requests for a database in
 * order, so that scripts of the page read from a database only when it has been filled. But it lists databases at once. Until they
 * are there, the list waits for them, too; then the function of the browser is back in its place.
 */
export function listOnceFilled(names: readonly string[]): void {
  const { prototype } = IDBFactory;
  const { apply } = Reflect;
  const { defineProperty, getOwnPropertyDescriptor } = Object;
  type Listing = TypedPropertyDescriptor<IDBFactory['databases']>;
  const known: Listing | undefined = getOwnPropertyDescriptor(prototype, 'databases');
  if (known?.value === undefined) return;
  const filled = Promise.all(names.map(waitForTurn));
  const list = new Proxy(known.value, {
    apply: async (target, factory, given: []) => {
      await filled;
      return apply(target, factory, given);
    },
  });
  defineProperty(prototype, 'databases', { ...known, value: list });
  void (async () => {
    await filled;
    const current: Listing | undefined = getOwnPropertyDescriptor(prototype, 'databases');
    if (current?.value === list) defineProperty(prototype, 'databases', known);
  })();
}

/** Runs in the page. Resolves when earlier requests for the database have been served. A missing database stays missing. */
function waitForTurn(name: string): Promise<void> {
  return new Promise((resolve) => {
    const request = indexedDB.open(name);
    request.onupgradeneeded = () => request.transaction?.abort();
    request.onerror = (event) => {
      event.preventDefault();
      event.stopPropagation();
      resolve();
    };
    request.onsuccess = () => {
      request.result.close();
      resolve();
    };
  });
}
