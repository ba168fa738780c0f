import { use, type ComponentType } from 'react';

interface Loaded<Props> {
  readonly default: ComponentType<Props>;
}

/** Why a part of the console could not be loaded. */
export class PartNotLoaded extends Error {
  constructor(
    cause: unknown,
    /** Whether the service answers. Then the part may be gone: an update of the service has other files. */
    readonly isServiceThere: boolean,
    /** Loads the part again when it is shown the next time. */
    readonly forget: () => void,
  ) {
    super('A part of the console could not be loaded', { cause });
  }
}

/**
 * A component whose script is loaded when it is first shown. Unlike `lazy` it can be loaded again after a failure, which it
 * throws as a PartNotLoaded.
 */
export function lazyPart<Props extends object>(load: () => Promise<Loaded<Props>>): ComponentType<Props> {
  let loading: Promise<Loaded<Props>> | undefined;
  const forget = (): void => {
    loading = undefined;
  };
  const start = async (): Promise<Loaded<Props>> => {
    try {
      return await load();
    } catch (error) {
      removeFailedStyles();
      throw new PartNotLoaded(error, await isServiceThere(), forget);
    }
  };
  return function LazyPart(props: Props) {
    loading ??= start();
    const { default: Part } = use(loading);
    return <Part {...props} />;
  };
}

/** Vite takes a style sheet that is in the page for one that was loaded. */
function removeFailedStyles(): void {
  for (const link of document.querySelectorAll<HTMLLinkElement>('link[rel=stylesheet]'))
    if (link.sheet === null) link.remove();
}

async function isServiceThere(): Promise<boolean> {
  try {
    return (await fetch(location.pathname, { method: 'HEAD', cache: 'no-store' })).ok;
  } catch {
    return false;
  }
}
