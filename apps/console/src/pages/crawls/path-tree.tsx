import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import { useId, useRef, useState, type KeyboardEvent, type RefObject } from 'react';
import { useLocation } from 'wouter';
import classes from './crawls.module.css';
import { moveOf, type TreeNode, type TreeRow } from './page-tree.js';
import { PathRow } from './path-row.js';

const ROW_PX = 32;

interface PathTreeProps {
  readonly rows: readonly TreeRow[];
  readonly onToggle: (node: TreeNode) => void;
  /** What is said of a page without an outcome; undefined where none has one. */
  readonly pendingText: string | undefined;
}

/**
 * A tree of thousands of paths, of which only the rows in view are in the page. The tree has the focus, and names its active row, so
 * that the focus stays where it is while rows come and go.
 */
export function PathTree({ rows, onToggle, pendingText }: PathTreeProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const id = useId();
  const [activeKey, setActiveKey] = useState<string>();
  const active = activeIn(rows, activeKey);
  const lines = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 8,
    // A screen reader must find the active row.
    rangeExtractor: (range) => withActive(defaultRangeExtractor(range), active),
  });
  const choose = (index: number) => {
    setActiveKey(rows[index]?.node.key);
    lines.scrollToIndex(index, { align: 'auto' });
  };
  const onKeyDown = useKeys({ rows, active, scroller, choose, onToggle });
  return (
    <div
      ref={scroller}
      role="tree"
      aria-label="Paths"
      tabIndex={0}
      aria-activedescendant={`${id}-${active}`}
      className={classes.tree}
      onKeyDown={onKeyDown}
    >
      <div role="none" style={{ height: lines.getTotalSize(), position: 'relative' }}>
        {lines.getVirtualItems().map(({ index, start }) => (
          <PathRow
            key={rows[index]?.node.key ?? index}
            {...{ id: `${id}-${index}`, row: rows[index], top: start, pendingText, onToggle }}
            isActive={index === active}
            onChoose={({ key }) => setActiveKey(key)}
          />
        ))}
      </div>
    </div>
  );
}

/** The first row where the one that was active is gone. */
function activeIn(rows: readonly TreeRow[], key: string | undefined): number {
  return Math.max(
    0,
    rows.findIndex(({ node }) => node.key === key),
  );
}

function withActive(shown: number[], active: number): number[] {
  return shown.includes(active) ? shown : [...shown, active].sort((a, b) => a - b);
}

interface Keys extends Pick<PathTreeProps, 'rows' | 'onToggle'> {
  readonly active: number;
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly choose: (index: number) => void;
}

/** Enter opens the capture of a page; other keys move through the tree. */
function useKeys({ rows, active, scroller, choose, onToggle }: Keys) {
  const [, navigate] = useLocation();
  return (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const inView = Math.floor((scroller.current?.clientHeight ?? 0) / ROW_PX) - 1;
    const capture = rows[active]?.node.page?.capture_id;
    const isOpening = event.key === 'Enter' && capture != null;
    // Where there is no capture to open, Enter does what a space does.
    const move = moveOf(event.key === 'Enter' ? ' ' : event.key, { rows, active, inView });
    if (!isOpening && !move) return;
    event.preventDefault();
    if (isOpening) navigate(`/captures/${capture}`);
    else if (move && 'active' in move) choose(move.active);
    else if (move) onToggle(move.toggle);
  };
}
