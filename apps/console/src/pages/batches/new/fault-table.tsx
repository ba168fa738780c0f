import { Anchor, Code, Group, Stack, Text, TextInput, UnstyledButton } from '@mantine/core';
import { MagnifyingGlassIcon } from '@radix-ui/react-icons';
import { useDeferredValue, useMemo, useState } from 'react';
import { DOCS_URL } from '../../../api/client.js';
import { SEARCH_FIELD } from '../../../ui/search-field.js';
import { count } from '../../../ui/format.js';
import { matching, type RowFault } from './faults.js';
import classes from './new-batch.module.css';
import { VirtualTable } from './virtual-table.js';

interface FaultTableProps {
  readonly faults: readonly RowFault[];
  /** Faults that the API left out because there are so many. */
  readonly omitted: number;
  readonly onRow: (row: number) => void;
}

const COLUMNS = ['Row', 'Column', 'Value', 'What is wrong', 'Code'];
const TEMPLATE = '4rem minmax(8rem, 1fr) minmax(8rem, 1.2fr) minmax(14rem, 2.4fr) minmax(10rem, 1fr)';

/** Each fault of each row; a row number shows the row. */
export function FaultTable({ faults, omitted, onRow }: FaultTableProps) {
  const [words, setWords] = useState('');
  const wanted = useDeferredValue(words);
  const shown = useMemo(() => matching(faults, wanted), [faults, wanted]);
  return (
    <Stack gap="xs">
      <Group justify="space-between" gap="xs">
        <TextInput
          {...SEARCH_FIELD}
          aria-label="Filter the faults"
          placeholder="Filter by row, column, value or text"
          leftSection={<MagnifyingGlassIcon />}
          value={words}
          onChange={(event) => setWords(event.currentTarget.value)}
          flex="1 1 14rem"
          maw={360}
        />
        <Text c="dimmed" className="numeric">
          {shown.length === faults.length
            ? `${count(faults.length)} faults`
            : `${count(shown.length)} of ${count(faults.length)} faults`}
          {omitted > 0 && `, and ${count(omitted)} more in these rows`}
        </Text>
      </Group>
      <VirtualTable
        label="Faults of the rows"
        template={TEMPLATE}
        columns={COLUMNS}
        count={shown.length}
        cells={(index) => cellsOf(shown[index], onRow)}
      />
      <Text size="xs" c="dimmed">
        <Anchor href={`${DOCS_URL}/errors`} target="_blank" rel="noreferrer" size="xs">
          What the codes mean
        </Anchor>
      </Text>
    </Stack>
  );
}

function cellsOf(fault: RowFault | undefined, onRow: (row: number) => void) {
  if (!fault) return [];
  return [
    <UnstyledButton
      key="row"
      className={`numeric ${classes.rowLink}`}
      onClick={() => onRow(fault.row)}
      aria-label={`Show the row ${fault.row}`}
    >
      {count(fault.row)}
    </UnstyledButton>,
    <span key="column" className="breaks">
      {fault.column}
    </span>,
    <bdi key="value" className={classes.clamp} title={fault.value}>
      {fault.value}
    </bdi>,
    <span key="detail" className="breaks">
      {fault.detail}
    </span>,
    <Code key="code" className="breaks">
      {fault.code}
    </Code>,
  ];
}
