import { ActionIcon, Group, Tooltip } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { ChevronLeftIcon, ChevronRightIcon } from '@radix-ui/react-icons';
import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import type { CaptureRow } from '../../capture-record/capture-row.js';

/** Leads to the captures before and after this one in the list that was last looked at. */
export function Neighbours({ id }: { readonly id: string }) {
  const [, navigate] = useLocation();
  const { previous, next } = neighboursOf(useQueryClient(), id);
  const go = (to: string | undefined) => () => {
    if (to !== undefined && !document.activeElement?.closest('[role=group],[role=tablist],[role=menu]'))
      navigate(`/captures/${to}`, { replace: true, state: history.state as unknown });
  };
  useHotkeys([
    ['ArrowLeft', go(previous), { preventDefault: false }],
    ['ArrowRight', go(next), { preventDefault: false }],
  ]);
  if (previous === undefined && next === undefined) return null;
  return (
    <Group gap={4}>
      <Step label="Newer capture (←)" to={previous} go={go} icon={<ChevronLeftIcon />} />
      <Step label="Older capture (→)" to={next} go={go} icon={<ChevronRightIcon />} />
    </Group>
  );
}

interface StepProps {
  readonly label: string;
  readonly to: string | undefined;
  readonly go: (to: string | undefined) => () => void;
  readonly icon: React.ReactNode;
}

function Step({ label, to, go, icon }: StepProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon variant="default" size={30} aria-label={label} disabled={to === undefined} onClick={go(to)}>
        {icon}
      </ActionIcon>
    </Tooltip>
  );
}

/** Rows stay for a while after their page of the list is no longer shown, which is enough to look through them. */
function neighboursOf(queries: QueryClient, id: string): { previous?: string; next?: string } {
  const lists = queries
    .getQueryCache()
    .findAll({ queryKey: ['captures', 'rows'] })
    .sort((a, b) => b.state.dataUpdatedAt - a.state.dataUpdatedAt);
  for (const { queryKey } of lists) {
    const rows = queries.getQueryData<CaptureRow[]>(queryKey) ?? [];
    const at = rows.findIndex((row) => row.id === id);
    const [previous, next] = [rows[at - 1]?.id, rows[at + 1]?.id];
    if (at >= 0) return { ...(previous !== undefined && { previous }), ...(next !== undefined && { next }) };
  }
  return {};
}
