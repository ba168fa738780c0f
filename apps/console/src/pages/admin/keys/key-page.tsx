import { Anchor, Group, Skeleton, Stack, Text } from '@mantine/core';
import type { KeyRecord } from '@capture-service/client';
import { Link, useParams } from 'wouter';
import { Facts } from '../../../ui/facts.js';
import { PageHeader } from '../../../ui/page-header.js';
import { Panel } from '../../../ui/panel.js';
import { ProblemAlert } from '../../../ui/problem-alert.js';
import { StatusBadge } from '../../../ui/status-badge.js';
import { TimeText } from '../../../ui/time-text.js';
import { useNow } from '../../../ui/use-now.js';
import { AccountLink } from '../accounts/account-link.js';
import { BackLink } from '../../../ui/back-link.js';
import { Revoke, Rotate } from './key-buttons.js';
import { managedBy, stateOf } from './key-draft.js';
import { useKey, useKeyRotation } from './key-queries.js';
import { LimitsForm } from './limits-form.js';
import { ShownKey } from './shown-key.js';

const RENEWED_MS = 10_000;

/** One key: what it may do, whether it works, and its rotation and revocation. */
export default function KeyPage() {
  const { id = '' } = useParams<{ id: string }>();
  const { data, error, refetch } = useKey(id);
  const rotation = useKeyRotation(id);
  const nowMs = useNow(RENEWED_MS);
  const state = data && stateOf(data, nowMs);
  return (
    <Stack gap="md">
      <BackLink href="/admin/keys">Keys</BackLink>
      <PageHeader title={data?.name ?? 'Key'}>
        {data && state === 'active' && (
          <>
            <Rotate record={data} rotation={rotation} />
            <Revoke record={data} />
          </>
        )}
      </PageHeader>
      {rotation.data && <ShownKey title="The key has another secret" value={rotation.data.key} />}
      {data && state !== undefined && <Key record={data} state={state} />}
      {!data && error && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton h="16rem" role="status" aria-label="Loading" />}
    </Stack>
  );
}

interface KeyProps {
  readonly record: KeyRecord;
  readonly state: string;
}

function Key({ record, state }: KeyProps) {
  const { id, expires_at: expiresAt, revoked_at: revokedAt, previous_until: previousUntil } = record;
  const facts = [
    { label: 'Account', value: <AccountLink id={record.account_id} /> },
    { label: 'Scopes', value: record.scopes.join(', ') },
    { label: 'Limits and secret', value: managedBy(record) },
    { label: 'Hosts', value: record.allowed_hosts?.join(', ') ?? 'all' },
    { label: 'Addresses', value: record.allowed_ips?.join(', ') ?? 'all' },
    { label: 'Last used (UTC)', value: record.last_used_on ?? 'never' },
    { label: 'Created', value: <TimeText iso={record.created_at} /> },
    { label: 'Expires', value: expiresAt === null ? 'never' : <TimeText iso={expiresAt} /> },
    { label: 'Revoked', value: revokedAt && <TimeText iso={revokedAt} /> },
    { label: 'Secret before works until', value: previousUntil && <TimeText iso={previousUntil} /> },
    { label: 'Tools of MCP', value: record.mcp_unsafe ? 'also options that run code' : 'safe options only' },
    { label: 'Id', value: id },
  ];
  return (
    <>
      <Group gap="xs" role="status">
        <StatusBadge status={state} />
        <Text c="dimmed">{state === 'active' ? 'Requests with it are accepted.' : 'It works no more.'}</Text>
      </Group>
      <Panel
        title="Key"
        aside={
          <Anchor component={Link} href={`/admin/audit?subject_id=${id}`} fz="sm">
            Audit trail
          </Anchor>
        }
      >
        <Facts facts={facts} />
      </Panel>
      {state === 'active' && managedBy(record) === null && <LimitsForm key={id} record={record} />}
    </>
  );
}
