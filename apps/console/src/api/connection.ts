import { useSyncExternalStore } from 'react';

const listeners = new Set<() => void>();
let isConnected = true;

/** Whether the API answered the latest request. */
export const connection = {
  set(value: boolean): void {
    if (value === isConnected) return;
    isConnected = value;
    for (const listener of listeners) listener();
  },
};

export function useIsConnected(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => isConnected,
  );
}
