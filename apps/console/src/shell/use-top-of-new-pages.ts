import { useEffect, useLayoutEffect, useRef } from 'react';

/** A page that a link leads to begins at its top. Going back leads to where the reader was, which the browser or the page keeps. */
export function useTopOfNewPages(location: string): void {
  const isBack = useRef(false);
  useEffect(() => {
    const note = () => {
      isBack.current = true;
    };
    // Before the router hears of it, which changes the page at once.
    window.addEventListener('popstate', note, { capture: true });
    return () => window.removeEventListener('popstate', note, { capture: true });
  }, []);
  useLayoutEffect(() => {
    if (!isBack.current) window.scrollTo({ top: 0, behavior: 'instant' });
    isBack.current = false;
  }, [location]);
}
