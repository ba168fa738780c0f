import { useMemo, useState } from 'react';
import { flushSync } from 'react-dom';
import { placeOf } from './fields/option-field.js';
import { OPTIONS, slugOf } from './form/options.js';

/** What of the options is shown. */
export interface OptionsView {
  readonly search: string;
  readonly onlyChanged: boolean;
  readonly open: ReadonlySet<string>;
  setSearch(search: string): void;
  setOnlyChanged(onlyChanged: boolean): void;
  setOpen(families: readonly string[]): void;
  /** Brings an option into view and goes to its control. */
  reveal(name: string): void;
}

/** Where the result is below the form, it should not be far. */
const firstOpen = (): string[] => (matchMedia('(min-width: 62em)').matches ? ['viewport', 'framing'] : []);

export function useOptionsView(): OptionsView {
  const [search, setSearch] = useState('');
  const [onlyChanged, setOnlyChanged] = useState(false);
  const [open, setOpen] = useState<ReadonlySet<string>>(() => new Set(firstOpen()));
  return useMemo(
    () => ({
      search,
      onlyChanged,
      open,
      setSearch,
      setOnlyChanged,
      setOpen: (families) => setOpen(new Set(families)),
      reveal: (name) => {
        flushSync(() => {
          setSearch('');
          setOnlyChanged(false);
          setOpen((families) => new Set([...families, slugOf({ name: OPTIONS.get(name)?.family ?? '' })]));
        });
        goTo(name, FRAMES);
      },
    }),
    [search, onlyChanged, open],
  );
}

/** A family opens within so many frames; until then its controls cannot take the focus. */
const FRAMES = 60;

function goTo(name: string, frames: number): void {
  const place = document.getElementById(placeOf(name));
  const control =
    document.getElementById(`${placeOf(name)}-control`) ??
    place?.querySelector<HTMLElement>('input, textarea');
  control?.focus({ preventScroll: true });
  if (control && document.activeElement === control) place?.scrollIntoView({ block: 'center' });
  else if (frames > 0) requestAnimationFrame(() => goTo(name, frames - 1));
}
