import { useHotkeys } from '@mantine/hooks';
import { useLocation } from 'wouter';

/** The field of a page that `/` goes to carries this attribute. */
export const SEARCH_FIELD = { 'data-search': true } as const;

/** Shortcuts of every page: `/` searches, `n` starts a capture. They do nothing in a field. */
export function Shortcuts() {
  const [, navigate] = useLocation();
  useHotkeys([
    [
      '/',
      () => {
        const field = document.querySelector<HTMLInputElement>('[data-search]');
        if (field) field.focus();
        else navigate('/captures?find');
      },
    ],
    ['n', () => navigate('/capture')],
  ]);
  return null;
}
