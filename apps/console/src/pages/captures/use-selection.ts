import { useCallback, useMemo } from 'react';
import { useSearchParams } from 'wouter';

const PARAMETER = 'selected';
/** Two captures are compared. */
const MOST = 2;

export interface Selection {
  readonly ids: readonly string[];
  /** Chooses a capture or no longer; the first of two makes room for a third. */
  toggle(id: string): void;
  clear(): void;
}

/** The captures that were chosen for a comparison, in the address of the page. */
export function useSelection(): Selection {
  const [query, setQuery] = useSearchParams();
  const text = query.get(PARAMETER) ?? '';
  const ids = useMemo(() => (text === '' ? [] : text.split(',').slice(0, MOST)), [text]);
  const put = useCallback(
    (next: readonly string[]) =>
      setQuery(
        (now) => {
          const changed = new URLSearchParams(now);
          if (next.length === 0) changed.delete(PARAMETER);
          else changed.set(PARAMETER, next.join(','));
          return changed;
        },
        // The place in the list stays in the entry of the history.
        { replace: true, state: history.state as unknown },
      ),
    [setQuery],
  );
  return useMemo(
    () => ({
      ids,
      toggle: (id) => put(ids.includes(id) ? ids.filter((each) => each !== id) : [...ids, id].slice(-MOST)),
      clear: () => put([]),
    }),
    [ids, put],
  );
}
