interface Page<Item> {
  readonly items: readonly Item[];
  readonly next_cursor: string | null;
}

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
