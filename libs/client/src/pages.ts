interface Page<Item> {
  readonly items: readonly Item[];
  readonly next_cursor: string | null;
}

/** The most that the service gives in one page: a list of thousands must not use up the requests that a key has in a minute. */
export const PAGE_ITEMS = 100;

/** All items of a list, which is requested page by page as far as the caller reads. */
export async function* pages<Item>(
  read: (cursor: string | undefined) => Promise<Page<Item>>,
): AsyncGenerator<Item, void, undefined> {
  let cursor: string | undefined;
  do {
    const page = await read(cursor);
    yield* page.items;
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
}
