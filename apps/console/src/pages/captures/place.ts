/** Where a person was in the list, kept in the entry of the history so that going back leads there. */
export interface Place {
  /** Px from the top of the page. */
  readonly scroll: number;
  /** Index of the capture that has the focus. */
  readonly active: number;
}

interface State {
  readonly captures?: Place;
}

export function savedPlace(): Place | undefined {
  return (history.state as State | null)?.captures;
}

export function savePlace(place: Place): void {
  history.replaceState({ ...(history.state as State | null), captures: place }, '');
}
