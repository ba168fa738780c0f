import { useEffect, useState, useSyncExternalStore } from 'react';
import { serverClock } from '../api/server-clock.js';
import { age } from './format.js';

/** The time of the service in ms, renewed every `everyMs`. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(serverClock.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(serverClock.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}

/** How long ago a time of the service was. It is right whenever it is drawn, also for a row that has just come into a list. */
export function useAge(iso: string): string {
  return useSyncExternalStore(serverClock.subscribe, () => age(iso, serverClock.now()));
}
