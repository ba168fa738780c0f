import { useState } from 'react';
import { foldersOf, type TreeNode } from './page-tree.js';

/** Which folders of a tree are open. */
export interface OpenFolders {
  readonly isOpen: (node: TreeNode) => boolean;
  readonly toggle: (node: TreeNode) => void;
  readonly openAll: () => void;
  /** Leaves the hosts open. */
  readonly closeAll: () => void;
}

type Default = 'start' | 'all' | 'none';

/** The folders of the start are open at first, and all while a filter leaves few pages; the others as a person chose. */
export function useOpenFolders(start: string, isFiltered: boolean): OpenFolders {
  const [state, setState] = useState<{ base: Default; chosen: ReadonlyMap<string, boolean> }>({
    base: 'start',
    chosen: new Map(),
  });
  const toStart = foldersOf(start);
  const isOpen = ({ key }: TreeNode): boolean => {
    const chosen = state.chosen.get(key);
    if (chosen !== undefined) return chosen;
    if (isFiltered || state.base === 'all') return true;
    return state.base === 'start' && toStart.has(key) ? true : isHost(key);
  };
  return {
    isOpen,
    toggle: (node) =>
      setState(({ base, chosen }) => ({ base, chosen: new Map(chosen).set(node.key, !isOpen(node)) })),
    openAll: () => setState({ base: 'all', chosen: new Map() }),
    closeAll: () => setState({ base: 'none', chosen: new Map() }),
  };
}

/** `https://a.example/` has no slash but those around its name. */
function isHost(key: string): boolean {
  return key.indexOf('/', key.indexOf('//') + 2) === key.length - 1;
}
