import { lazy, type ComponentType } from 'react';
import { fetchAndSetClock } from '../api/server-clock.js';

interface Loaded<Props> {
  readonly default: ComponentType<Props>;
}

/** Why a part of the console could not be loaded. */
export class PartNotLoaded extends Error {
  constructor(
    cause: unknown,
    /** Then the part may be gone: an update of the service has other files. */
    readonly isServiceThere: boolean,
  ) {
    super('A part of the console could not be loaded', { cause });
  }
}

/**
 * A component whose script is loaded when it is first shown. When that fails it throws a PartNotLoaded. Only a reload of the
 * page helps then: a browser does not load a script again that it could not load once.
 */
export function lazyPart<Props>(load: () => Promise<Loaded<Props>>): ComponentType<Props> {
  return lazy(async () => {
    try {
      return await load();
    } catch (error) {
      throw new PartNotLoaded(error, await isServiceThere());
    }
  });
}

/** Whether the service answers now, so that a reload finds it. */
export async function isServiceThere(): Promise<boolean> {
  try {
    return (await fetchAndSetClock(location.pathname, { method: 'HEAD', cache: 'no-store' })).ok;
  } catch {
    return false;
  }
}
