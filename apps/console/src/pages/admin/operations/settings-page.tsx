import { Badge, Code, Group, Stack, Table, Text, TextInput } from '@mantine/core';
import type { SettingRecord } from '@capture-service/client';
import { useState } from 'react';
import { PageHeader } from '../../../ui/page-header.js';
import { Panel } from '../../../ui/panel.js';
import classes from '../admin.module.css';
import { Loaded } from './loaded.js';
import { useSettings } from './operation-queries.js';
import { SUBJECTS, matches, valueText } from './settings.js';

/** Every setting as it is in force in the API, and where it comes from. */
export default function SettingsPage() {
  return (
    <>
      <PageHeader
        title="Settings"
        description="As they are in force in the API that shows this page. They are set by variables and the file .env, and read at the start."
      />
      <Loaded query={useSettings()}>{(settings) => <Settings settings={settings} />}</Loaded>
    </>
  );
}

function Settings({ settings }: { readonly settings: readonly SettingRecord[] }) {
  const [search, setSearch] = useState('');
  const found = settings.filter((setting) => matches(setting, search));
  const changed = settings.filter(({ origin }) => origin !== 'default').length;
  return (
    <Stack gap="md">
      <Group align="end" justify="space-between">
        <TextInput
          label="Find a setting"
          placeholder="A part of its name or meaning"
          type="search"
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
        <Text c="dimmed" role="status">
          {`${found.length} of ${settings.length} settings, ${changed} set`}
        </Text>
      </Group>
      {Object.entries(SUBJECTS).map(([subject, label]) => {
        const own = found.filter((setting) => setting.subject === subject);
        return own.length > 0 && <Subject key={subject} label={label} settings={own} />;
      })}
      {found.length === 0 && <Text>No setting matches.</Text>}
    </Stack>
  );
}

interface SubjectProps {
  readonly label: string;
  readonly settings: readonly SettingRecord[];
}

function Subject({ label, settings }: SubjectProps) {
  return (
    <Panel title={label}>
      <Table layout="fixed" className={classes.table}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">Setting</Table.Th>
            <Table.Th scope="col" w="34%">
              Value
            </Table.Th>
            <Table.Th scope="col" w="20%" visibleFrom="sm">
              Default
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {settings.map((setting) => (
            <SettingRow key={setting.name} setting={setting} />
          ))}
        </Table.Tbody>
      </Table>
    </Panel>
  );
}

const ORIGINS = { file: '.env', variable: 'variable' } as const;

function SettingRow({ setting }: { readonly setting: SettingRecord }) {
  const { name, description, origin, default: otherwise } = setting;
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={400} className="breaks">
        <Text fw={500} ff="monospace">
          {name}
        </Text>
        <Text size="xs" c="dimmed" visibleFrom="sm">
          <WithCode text={description} />
        </Text>
      </Table.Th>
      <Table.Td className="breaks">
        <Text c={origin === 'default' ? 'dimmed' : undefined}>{valueText(setting)}</Text>
        {origin !== 'default' && (
          <Badge variant="default" size="sm">
            {ORIGINS[origin]}
          </Badge>
        )}
      </Table.Td>
      <Table.Td className="breaks" c="dimmed" visibleFrom="sm">
        {otherwise === null || otherwise === '' ? '–' : String(otherwise)}
      </Table.Td>
    </Table.Tr>
  );
}

/** A text whose code stands between backticks. */
function WithCode({ text }: { readonly text: string }) {
  return text.split('`').map((part, i) => (i % 2 === 0 ? part : <Code key={i}>{part}</Code>));
}
