import { ActionIcon, Badge, Group, Paper, Stack, Tabs, Text, Tooltip } from '@mantine/core';
import { Cross2Icon, FileTextIcon } from '@radix-ui/react-icons';
import { useMemo, useState, type ReactNode } from 'react';
import { count } from '../../../ui/format.js';
import { ColumnMapper } from './column-mapper.js';
import { FaultTable } from './fault-table.js';
import { cellReader, columnFaults, rowFaults } from './faults.js';
import classes from './new-batch.module.css';
import { RowPreview } from './row-preview.js';
import type { BatchSource } from './sources.js';
import type { DraftEditor } from './use-draft.js';
import type { VerdictState } from './use-verdict.js';

interface RowsPanelProps {
  readonly source: BatchSource;
  readonly editor: DraftEditor;
  readonly state: VerdictState;
}

/** The rows of the source: its columns, its faults, and all rows. */
export function RowsPanel({ source, editor, state }: RowsPanelProps) {
  const { draft, setSource, setName, setNames } = editor;
  const { names } = draft;
  const [tab, setTab] = useState<string | null>('rows');
  const [row, setRow] = useState<number>();
  const errors = state.verdict?.errors;
  const faults = useMemo(() => rowFaults(errors ?? [], cellReader(source, names)), [errors, source, names]);
  const table = source.kind === 'csv' ? source.table : null;
  const show = (wanted: number): void => {
    setRow(wanted);
    setTab('rows');
  };
  return (
    <Stack gap="md">
      <SourceHead source={source} onRemove={() => setSource(null)} />
      {table && (
        <Columns>
          <ColumnMapper
            table={table}
            names={names}
            faults={columnFaults(state.error)}
            onName={setName}
            onNames={setNames}
          />
        </Columns>
      )}
      <Tabs value={faults.length === 0 ? 'rows' : tab} onChange={setTab} keepMounted={false}>
        <TabNames faults={faults.length} />
        <Tabs.Panel value="rows">
          <RowPreview source={source} names={names} faults={faults} row={row} />
        </Tabs.Panel>
        <Tabs.Panel value="faults">
          <FaultTable faults={faults} omitted={state.verdict?.errors_omitted ?? 0} onRow={show} />
        </Tabs.Panel>
      </Tabs>
    </Stack>
  );
}

function SourceHead({ source, onRemove }: { readonly source: BatchSource; readonly onRemove: () => void }) {
  const rows = source.kind === 'rows' ? source.items.length : source.table?.rows.length;
  return (
    <Group gap="xs" wrap="nowrap" className={classes.source}>
      <FileTextIcon aria-hidden />
      <Text fw={500} truncate dir="auto">
        {source.name}
      </Text>
      {rows !== undefined && (
        <Text c="dimmed" className="numeric" style={{ whiteSpace: 'nowrap' }}>
          {count(rows)} {rows === 1 ? 'row' : 'rows'}
        </Text>
      )}
      <Tooltip label="Choose other rows">
        <ActionIcon onClick={onRemove} aria-label="Choose other rows" ml="auto">
          <Cross2Icon />
        </ActionIcon>
      </Tooltip>
    </Group>
  );
}

function TabNames({ faults }: { readonly faults: number }) {
  return (
    <Tabs.List mb="sm">
      <Tabs.Tab value="rows">Rows</Tabs.Tab>
      <Tabs.Tab
        value="faults"
        disabled={faults === 0}
        rightSection={faults > 0 && <Badge color="red">{count(faults)}</Badge>}
      >
        Faults
      </Tabs.Tab>
    </Tabs.List>
  );
}

function Columns({ children }: { readonly children: ReactNode }) {
  return (
    <Paper withBorder p="md" component="section" aria-label="Columns">
      <Text component="h2" fw={600} mb="xs">
        Columns
      </Text>
      {children}
    </Paper>
  );
}
