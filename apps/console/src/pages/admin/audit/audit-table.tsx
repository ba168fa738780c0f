import { Button, Stack, Table, Text, useMatches } from '@mantine/core';
import type { AuditRecord } from '@capture-service/client';
import { Fragment, useId, useState } from 'react';
import { Link } from 'wouter';
import { Facts } from '../../../ui/facts.js';
import { TimeText } from '../../../ui/time-text.js';
import { AccountLink } from '../accounts/account-link.js';
import classes from '../admin.module.css';
import { ACTIONS } from './audit-filters.js';
import { changesOf } from './changes.js';

/** The columns that are visible at each width: a detail that spans more of them would make more. */
const COLUMNS = { base: 3, sm: 4, md: 5 };

/** The changes, each with what it has set behind a button. */
export function AuditTable({ events }: { readonly events: readonly AuditRecord[] }) {
  return (
    <Table layout="fixed" className={classes.table} highlightOnHover={false}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">Change</Table.Th>
          <Table.Th scope="col" visibleFrom="sm">
            Account
          </Table.Th>
          <Table.Th scope="col" visibleFrom="md">
            By
          </Table.Th>
          <Table.Th scope="col" w={110}>
            When
          </Table.Th>
          <Table.Th scope="col" w={84}>
            Details
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {events.map((event) => (
          <AuditRow key={event.id} event={event} />
        ))}
      </Table.Tbody>
    </Table>
  );
}

interface EventProps {
  readonly event: AuditRecord;
}

function AuditRow({ event }: EventProps) {
  const [isOpen, setIsOpen] = useState(false);
  const details = useId();
  const columns = useMatches(COLUMNS);
  const { at, action, account_id: accountId } = event;
  return (
    <Fragment>
      <Table.Tr>
        <Table.Td className="breaks">{ACTIONS[action]}</Table.Td>
        <Table.Td visibleFrom="sm" className="breaks">
          {accountId === null ? '–' : <AccountLink id={accountId} />}
        </Table.Td>
        <Table.Td visibleFrom="md" className="breaks">
          {actorText(event.actor)}
        </Table.Td>
        <Table.Td>
          <TimeText iso={at} />
        </Table.Td>
        <Table.Td>
          <Button
            variant="default"
            size="compact-xs"
            aria-expanded={isOpen}
            aria-controls={isOpen ? details : undefined}
            onClick={() => setIsOpen(!isOpen)}
          >
            {isOpen ? 'Hide' : 'Show'}
          </Button>
        </Table.Td>
      </Table.Tr>
      {isOpen && (
        <Table.Tr id={details}>
          <Table.Td colSpan={columns}>
            <Details event={event} />
          </Table.Td>
        </Table.Tr>
      )}
    </Fragment>
  );
}

function actorText({ kind, key_name: name }: AuditRecord['actor']): string {
  switch (kind) {
    case 'key':
      return `key ${name ?? ''}`;
    case 'command':
      return 'a command on the machine';
    case 'service':
      return 'the service';
    case 'sign_on':
      return `the log-in of ${name ?? ''}`;
    default:
      return kind satisfies never;
  }
}

function Details({ event }: EventProps) {
  const { actor, subject_id: subject, account_id: accountId, action } = event;
  const [kind] = action.split('.');
  const facts = [
    { label: 'Account', value: accountId && <AccountLink id={accountId} /> },
    { label: 'Key', value: kind === 'key' && <KeyLink id={subject} /> },
    { label: 'Worker', value: kind === 'worker' && subject },
    { label: 'Batch', value: kind === 'batch' && subject },
    { label: 'By', value: actorText(actor) },
    { label: 'With the key', value: actor.key_id && <KeyLink id={actor.key_id} /> },
    { label: 'Account of that key', value: actor.account_id && <AccountLink id={actor.account_id} /> },
    { label: 'From', value: actor.address },
    { label: 'Request', value: actor.request_id },
  ];
  return (
    <Stack gap="sm" py="xs">
      <Facts facts={facts.filter(({ value }) => value !== false)} />
      <Changes event={event} />
    </Stack>
  );
}

function KeyLink({ id }: { readonly id: string }) {
  return (
    <Link href={`/admin/keys/${id}`} className={classes.link}>
      {id}
    </Link>
  );
}

function Changes({ event }: EventProps) {
  const changes = changesOf(event);
  if (changes.length === 0) return <Text c="dimmed">It has set no field.</Text>;
  return (
    <Table layout="fixed" aria-label="Fields before and after" verticalSpacing={2}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">Field</Table.Th>
          <Table.Th scope="col">Before</Table.Th>
          <Table.Th scope="col">After</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {changes.map(({ field, before, after }) => (
          <Table.Tr key={field}>
            <Table.Th scope="row" fw={400} className="breaks">
              {field}
            </Table.Th>
            <Table.Td className="breaks">{before}</Table.Td>
            <Table.Td className="breaks">{after}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
