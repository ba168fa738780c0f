/** The flag of an option: `--viewport-width` for `viewport_width`. */
export const flagOf = (name: string): string => `--${name.replaceAll('_', '-')}`;

/**
 * The flag for a JSON pointer to an option: `--viewport-width` for `/viewport_width`, `--hide-selectors (value 2)` for
 * `/hide_selectors/1`, `the page` for `/url`.
 */
export function flagOfPointer(pointer: string): string {
  const [name = '', ...rest] = pointer
    .replace(/^#?\//, '')
    // The options of all rows of a list.
    .replace(/^defaults\//, '')
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (name === '') return 'The request';
  const flag = name === 'url' ? 'The URL' : flagOf(name);
  const places = rest.map((part) => (/^\d+$/.test(part) ? `value ${Number(part) + 1}` : part));
  return places.length === 0 ? flag : `${flag} (${places.join(', ')})`;
}
