import { Text } from '@mantine/core';
import { ChevronDownIcon, ChevronRightIcon } from '@radix-ui/react-icons';
import type { CrawlPage } from '@capture-service/client';
import { Link } from 'wouter';
import { count } from '../../ui/format.js';
import { StatusBadge } from '../../ui/status-badge.js';
import classes from './crawls.module.css';
import { isFolder, totalOf, type OutcomeCounts, type TreeNode, type TreeRow } from './page-tree.js';

/** Deeper folders are not indented any more, so that their names have room. */
const MAX_INDENTS = 10;

interface PathRowProps {
  readonly id: string;
  readonly row: TreeRow | undefined;
  readonly isActive: boolean;
  /** What is said of a page without an outcome; undefined where none has one. */
  readonly pendingText: string | undefined;
  /** Px from the first row. */
  readonly top: number;
  readonly onChoose: (node: TreeNode) => void;
  readonly onToggle: (node: TreeNode) => void;
}

/** A folder with the number of its pages, or a page with its title and outcome. */
export function PathRow({ id, row, isActive, pendingText, top, onChoose, onToggle }: PathRowProps) {
  if (!row) return null;
  const { node, level, isOpen, place, siblings } = row;
  const { page } = node;
  const holds = isFolder(node);
  const Chevron = isOpen ? ChevronDownIcon : ChevronRightIcon;
  return (
    // Its keys are those of the tree, which has the focus.
    <div
      id={id}
      role="treeitem"
      aria-level={level}
      aria-posinset={place}
      aria-setsize={siblings}
      aria-expanded={holds ? isOpen : undefined}
      aria-selected={isActive}
      className={classes.path}
      data-folder={holds || undefined}
      style={{
        transform: `translateY(${top}px)`,
        paddingInlineStart: `calc(${Math.min(level - 1, MAX_INDENTS)} * var(--indent) + 6px)`,
      }}
      onClick={() => {
        onChoose(node);
        if (holds) onToggle(node);
      }}
    >
      <span className={classes.chevron}>{holds && <Chevron aria-hidden />}</span>
      <PathName name={node.name} page={page} />
      {page?.title != null && (
        <Text size="xs" c="dimmed" truncate className={classes.title} title={page.title}>
          <bdi>{page.title}</bdi>
        </Text>
      )}
      <span className={classes.aside}>
        {holds && <FolderCounts counts={node.counts} pendingText={pendingText} />}
        {!holds && page && <PageOutcome page={page} pendingText={pendingText} />}
      </span>
    </div>
  );
}

function PathName({ name, page }: { readonly name: string; readonly page: CrawlPage | undefined }) {
  if (!page?.capture_id) {
    return (
      <span className={classes.name} title={page?.url}>
        <bdi>{name}</bdi>
      </span>
    );
  }
  return (
    <Link
      href={`/captures/${page.capture_id}`}
      className={`${classes.name} ${classes.pageLink}`}
      title={page.url}
      // The tree takes the keys.
      tabIndex={-1}
      onClick={(event) => event.stopPropagation()}
    >
      <bdi>{name}</bdi>
    </Link>
  );
}

interface FolderCountsProps {
  readonly counts: OutcomeCounts;
  readonly pendingText: string | undefined;
}

function FolderCounts({ counts, pendingText }: FolderCountsProps) {
  const total = totalOf(counts);
  return (
    <Text size="xs" c="dimmed" className="numeric">
      {count(total)} {total === 1 ? 'page' : 'pages'}
      {pendingText !== undefined && counts.pending > 0 && ` · ${count(counts.pending)} ${pendingText}`}
      {counts.broken > 0 && <span className={classes.brokenCount}> · {count(counts.broken)} broken</span>}
    </Text>
  );
}

interface PageOutcomeProps {
  readonly page: CrawlPage;
  readonly pendingText: string | undefined;
}

function PageOutcome({ page, pendingText }: PageOutcomeProps) {
  if (pendingText === undefined) return null;
  const { outcome, http_status: status, error_code: code } = page;
  const reason = outcome === 'broken' ? (code ?? status) : null;
  return (
    <>
      {reason !== null && (
        <Text size="xs" c="dimmed" className="numeric" visibleFrom="xs">
          {reason}
        </Text>
      )}
      <StatusBadge status={outcome ?? pendingText} />
    </>
  );
}
