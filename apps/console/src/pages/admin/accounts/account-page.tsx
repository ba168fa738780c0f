import { Alert, Anchor, Group, Skeleton, Stack, Text } from '@mantine/core';
import type { AccountRecord } from '@capture-service/client';
import { Link, useParams } from 'wouter';
import { useApi } from '../../../api/client.js';
import { Facts } from '../../../ui/facts.js';
import { count } from '../../../ui/format.js';
import { Meter } from '../../../ui/meter.js';
import { PageHeader } from '../../../ui/page-header.js';
import { Panel } from '../../../ui/panel.js';
import { ProblemAlert } from '../../../ui/problem-alert.js';
import { StatusBadge } from '../../../ui/status-badge.js';
import { TimeText } from '../../../ui/time-text.js';
import { BackLink } from '../../../ui/back-link.js';
import { KeysPanel } from '../keys/keys-panel.js';
import { AccountButtons } from './account-buttons.js';
import { isGone, useAccount } from './account-queries.js';
import { SettingsForm } from './settings-form.js';

/** One account: its state as it changes, its usage, its settings and its keys. */
export default function AccountPage() {
  const { id = '' } = useParams<{ id: string }>();
  const { data, error, refetch } = useAccount(id);
  const isDeleted = data !== undefined && isGone(error);
  return (
    <Stack gap="md">
      <BackLink href="/admin/accounts">Accounts</BackLink>
      <PageHeader title={data?.name ?? 'Account'}>
        {data && data.state !== 'deleting' && <AccountButtons account={data} />}
      </PageHeader>
      {isDeleted && <Deleted account={data} />}
      {data && !isDeleted && <Account account={data} />}
      {!data && error && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton h="24rem" role="status" aria-label="Loading" />}
    </Stack>
  );
}

function Deleted({ account: { id, name } }: AccountProps) {
  return (
    <Alert color="indigo" role="status" title="The account is deleted">
      <Text className="breaks">
        {name} and all that it had are deleted. The <Link href={auditOf(id)}>audit trail</Link> keeps who did
        it.
      </Text>
    </Alert>
  );
}

interface AccountProps {
  readonly account: AccountRecord;
}

const TEXTS: Readonly<Record<AccountRecord['state'], string>> = {
  active: 'It accepts new work.',
  paused: 'It accepts nothing new. What was accepted before ends.',
  deleting:
    'Its keys are revoked, and the workers delete all that it has. This page says when they are done.',
};

function Account({ account }: AccountProps) {
  return (
    <>
      <Group gap="xs" role="status">
        <StatusBadge status={account.state} />
        <Text c="dimmed">{TEXTS[account.state]}</Text>
      </Group>
      <AccountFacts account={account} />
      {account.state !== 'deleting' && (
        <>
          <KeysPanel accountId={account.id} />
          <SettingsForm key={account.id} account={account} />
        </>
      )}
    </>
  );
}

function AccountFacts({ account }: AccountProps) {
  const { id, usage, paused_at: pausedAt, deleting_at: deletingAt } = account;
  const { accountId } = useApi();
  const used = `${count(usage.used)} of ${count(usage.total)}`;
  const facts = [
    { label: 'Captures in progress', value: count(usage.concurrency.limit - usage.concurrency.remaining) },
    { label: 'Created', value: <TimeText iso={account.created_at} /> },
    { label: 'Paused', value: pausedAt && <TimeText iso={pausedAt} /> },
    { label: 'Deletion began', value: deletingAt && <TimeText iso={deletingAt} /> },
    { label: 'Id', value: id },
    {
      label: 'Yours',
      value: id === accountId && 'The key in use belongs to this account, and cannot delete it.',
    },
  ];
  return (
    <Panel
      title="Usage"
      aside={
        <Group gap="md">
          <Anchor component={Link} href={`/admin/usage/${id}`} fz="sm">
            Usage by day
          </Anchor>
          <Anchor component={Link} href={auditOf(id)} fz="sm">
            Audit trail
          </Anchor>
        </Group>
      }
    >
      <Stack gap="sm">
        <Text className="numeric">{used} captures of the allowance are used.</Text>
        <Meter label="Allowance" value={usage.used} max={usage.total} text={`${used} units used`} />
        <Facts facts={facts.filter(({ value }) => value !== false)} />
      </Stack>
    </Panel>
  );
}

function auditOf(id: string): string {
  return `/admin/audit?account_id=${id}`;
}
