/** The field of a page that `/` goes to carries this attribute. */
export const SEARCH_FIELD = { 'data-search': true } as const;

/** Returns whether the page has such a field. */
export function focusSearchField(): boolean {
  const field = document.querySelector<HTMLInputElement>('[data-search]');
  field?.focus();
  return field !== null;
}
