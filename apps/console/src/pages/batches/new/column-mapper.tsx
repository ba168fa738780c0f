import { Alert, Button, Group, Select, Stack, Table, Text } from '@mantine/core';
import { OPTION_FAMILIES, OPTION_CATALOGUE } from '@capture-service/client';
import { isOption, proposals } from './column-names.js';
import type { CsvTable } from './csv-table.js';
import classes from './new-batch.module.css';

const LEAVE_OUT = '';

const CHOICES = [
  { group: 'Not an option', items: [{ value: LEAVE_OUT, label: 'Leave out' }] },
  ...OPTION_FAMILIES.map(({ name: group }) => ({
    group,
    items: OPTION_CATALOGUE.filter(({ family }) => family === group).map(({ name }) => name),
  })).filter(({ items }) => items.length > 0),
];

interface ColumnMapperProps {
  readonly table: CsvTable;
  readonly names: readonly (string | null)[];
  /** What the API says about columns, by the name that was sent. */
  readonly faults: ReadonlyMap<string, string>;
  readonly onName: (column: number, name: string | null) => void;
  readonly onNames: (names: readonly (string | null)[]) => void;
}

/** Which option each column of the file stands for. */
export function ColumnMapper({ table, names, faults, onName, onNames }: ColumnMapperProps) {
  const proposed = proposals(table.columns, names);
  return (
    <Stack gap="xs">
      <UnknownColumns names={names} proposed={proposed} onNames={onNames} />
      <Table.ScrollContainer
        minWidth={280}
        type="native"
        tabIndex={0}
        role="region"
        aria-label="Columns of the file"
      >
        <Table highlightOnHover={false} layout="fixed">
          <Table.Thead>
            <Table.Tr>
              <Table.Th w="30%">Column</Table.Th>
              <Table.Th w="26%" visibleFrom="md">
                Example
              </Table.Th>
              <Table.Th>Option</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {table.columns.map((_, i) => (
              <ColumnRow
                key={i}
                table={table}
                at={i}
                name={names[i] ?? null}
                proposed={proposed[i]}
                fault={faults.get(names[i] ?? '') ?? faults.get(String(i + 1))}
                onName={(name) => onName(i, name)}
              />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Stack>
  );
}

interface UnknownColumnsProps {
  readonly names: readonly (string | null)[];
  readonly proposed: readonly (string | undefined)[];
  readonly onNames: (names: readonly (string | null)[]) => void;
}

/** What to do about all columns that are no options. */
function UnknownColumns({ names, proposed, onNames }: UnknownColumnsProps) {
  const isUnknown = (name: string | null): boolean => name !== null && !isOption(name);
  const unknown = names.filter(isUnknown).length;
  if (unknown === 0) return null;
  const takeProposals = () => onNames(names.map((name, i) => proposed[i] ?? name));
  const leaveOut = () => onNames(names.map((name) => (isUnknown(name) ? null : name)));
  const isOne = unknown === 1;
  return (
    <Alert
      color="gray"
      title={`${unknown} of ${names.length} columns ${isOne ? 'is' : 'are'} not named like an option`}
    >
      <Group gap="xs">
        {proposed.some((each) => each !== undefined) && (
          <Button variant="default" onClick={takeProposals}>
            Use the suggestions
          </Button>
        )}
        <Button variant="default" onClick={leaveOut}>
          Leave {isOne ? 'it' : 'them'} out
        </Button>
      </Group>
    </Alert>
  );
}

interface ColumnRowProps extends Omit<OptionChoiceProps, 'column'> {
  readonly table: CsvTable;
  readonly at: number;
}

function ColumnRow({ table, at, ...choice }: ColumnRowProps) {
  const column = table.columns[at] ?? '';
  return (
    <Table.Tr>
      <Table.Td>
        <Text truncate dir="auto" title={column} ff="monospace">
          {column === '' ? `(column ${at + 1})` : column}
        </Text>
      </Table.Td>
      <Table.Td visibleFrom="md">
        <Text truncate c="dimmed" dir="auto">
          {exampleOf(table, at)}
        </Text>
      </Table.Td>
      <Table.Td>
        <OptionChoice {...choice} column={column === '' ? `column ${at + 1}` : column} />
      </Table.Td>
    </Table.Tr>
  );
}

interface OptionChoiceProps {
  readonly column: string;
  readonly name: string | null;
  readonly proposed: string | undefined;
  readonly fault: string | undefined;
  readonly onName: (name: string | null) => void;
}

function OptionChoice({ column, name, proposed, fault, onName }: OptionChoiceProps) {
  const value = name === null ? LEAVE_OUT : isOption(name) ? name : null;
  return (
    <Group gap={4} align="flex-start" className={classes.choice}>
      <Select
        aria-label={`Option of the column ${column}`}
        placeholder="Choose an option"
        data={CHOICES}
        value={value}
        onChange={(choice) => onName(choice === LEAVE_OUT || choice === null ? null : choice)}
        error={value === LEAVE_OUT ? undefined : fault}
        searchable
        nothingFoundMessage="No such option"
        maxDropdownHeight={280}
        flex="1 1 9rem"
      />
      {proposed !== undefined && (
        <Button variant="light" onClick={() => onName(proposed)} aria-label={`${column} is ${proposed}`}>
          {proposed}?
        </Button>
      )}
    </Group>
  );
}

function exampleOf({ rows }: CsvTable, column: number): string {
  return rows.find((row) => (row[column] ?? '') !== '')?.[column] ?? '';
}
