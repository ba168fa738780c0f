import { Anchor, Group } from '@mantine/core';
import type { ServiceVersion } from '@capture-service/client';
import { DOCS_URL } from '../../api/client.js';
import { Facts, type Fact } from '../../ui/facts.js';
import { time } from '../../ui/format.js';
import { Panel } from '../../ui/panel.js';

/** What runs, and where it is described. */
export function VersionsPanel({ version }: { readonly version: ServiceVersion }) {
  const facts: readonly Fact[] = [
    { label: 'Service', value: version.version },
    { label: 'API', value: version.api_version },
    { label: 'Commit', value: version.commit ?? 'not known' },
    { label: 'Built', value: version.built_at === null ? 'not known' : time(version.built_at) },
    { label: 'Browser', value: version.browser ?? 'not known while no worker is alive' },
    { label: 'Node.js', value: version.node },
    {
      label: 'Filter lists',
      value: version.filter_lists?.map(({ name }) => name).join(', ') ?? 'not known while no worker is alive',
    },
  ];
  return (
    <Panel
      title="Versions"
      aside={
        <Group gap="md">
          <Anchor href={DOCS_URL} target="_blank" rel="noreferrer" fz="sm">
            API reference
          </Anchor>
          <Anchor href={`${DOCS_URL}/errors`} target="_blank" rel="noreferrer" fz="sm">
            Errors
          </Anchor>
        </Group>
      }
    >
      <Facts facts={facts} />
    </Panel>
  );
}
