import { Table, Text } from '@mantine/core';
import type { KeyRecord } from '@capture-service/client';
import { Link } from 'wouter';
import { StatusBadge } from '../../../ui/status-badge.js';
import { TimeText } from '../../../ui/time-text.js';
import { useNow } from '../../../ui/use-now.js';
import { AccountLink } from '../accounts/account-link.js';
import classes from '../admin.module.css';
import { stateOf } from './key-draft.js';

const RENEWED_MS = 10_000;

interface KeyTableProps {
  readonly keys: readonly KeyRecord[];
  /** Whether each row names its account. */
  readonly hasAccounts: boolean;
}

/** Keys with what they may do, whether they work and when they were used. */
export function KeyTable({ keys, hasAccounts }: KeyTableProps) {
  const nowMs = useNow(RENEWED_MS);
  return (
    <Table layout="fixed" className={`numeric ${classes.table}`}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">Name</Table.Th>
          {hasAccounts && (
            <Table.Th scope="col" visibleFrom="xs">
              Account
            </Table.Th>
          )}
          <Table.Th scope="col" w={100}>
            State
          </Table.Th>
          <Table.Th scope="col" visibleFrom="sm">
            Scopes
          </Table.Th>
          <Table.Th scope="col" w={130} visibleFrom="md">
            Last used (UTC)
          </Table.Th>
          <Table.Th scope="col" w={130} visibleFrom="md">
            Expires
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {keys.map((key) => (
          <KeyRow key={key.id} record={key} nowMs={nowMs} hasAccount={hasAccounts} />
        ))}
      </Table.Tbody>
    </Table>
  );
}

interface KeyRowProps {
  readonly record: KeyRecord;
  readonly nowMs: number;
  readonly hasAccount: boolean;
}

function KeyRow({ record, nowMs, hasAccount }: KeyRowProps) {
  const { id, name, scopes, account_id: accountId, last_used_on: usedOn, expires_at: expiresAt } = record;
  return (
    <Table.Tr>
      <Table.Td className="breaks">
        <Link href={`/admin/keys/${id}`} className={classes.link}>
          {name}
        </Link>
        <Text size="xs" c="dimmed">
          {id}
        </Text>
      </Table.Td>
      {hasAccount && (
        <Table.Td visibleFrom="xs" className="breaks">
          <AccountLink id={accountId} />
        </Table.Td>
      )}
      <Table.Td>
        <StatusBadge status={stateOf(record, nowMs)} />
      </Table.Td>
      <Table.Td visibleFrom="sm">{scopes.join(', ')}</Table.Td>
      <Table.Td visibleFrom="md">{usedOn ?? 'never'}</Table.Td>
      <Table.Td visibleFrom="md">{expiresAt === null ? 'never' : <TimeText iso={expiresAt} />}</Table.Td>
    </Table.Tr>
  );
}
