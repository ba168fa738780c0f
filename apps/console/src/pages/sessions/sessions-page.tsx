import { Button, Skeleton, Table, Text } from '@mantine/core';
import type { SessionRecord } from '@capture-service/client';
import { PlusIcon } from '@radix-ui/react-icons';
import { Link } from 'wouter';
import { EmptyState } from '../../ui/empty-state.js';
import { PageHeader } from '../../ui/page-header.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { TimeText } from '../../ui/time-text.js';
import { SessionState } from './session-state.js';
import { useSessions } from './session-queries.js';
import classes from './sessions.module.css';

/** The sessions of the account with their state, and a way to a new one. */
export default function SessionsPage() {
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage, refetch } = useSessions();
  const sessions = data?.pages.flatMap(({ items }) => items);
  return (
    <>
      <PageHeader title="Sessions" description="Log in once, and capture many pages behind the log-in.">
        <NewSessionButton />
      </PageHeader>
      {error && !data && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      {!error && !sessions && <Skeleton h="12rem" role="status" aria-label="Loading" />}
      {sessions?.length === 0 && <NoSessions />}
      {sessions && sessions.length > 0 && <SessionTable sessions={sessions} />}
      {hasNextPage && (
        <Button variant="default" mt="md" onClick={() => void fetchNextPage()} loading={isFetchingNextPage}>
          Show older sessions
        </Button>
      )}
    </>
  );
}

function NewSessionButton() {
  return (
    <Button component={Link} href="/sessions/new" leftSection={<PlusIcon />}>
      New session
    </Button>
  );
}

function NoSessions() {
  return (
    <EmptyState title="No sessions yet" action={<NewSessionButton />}>
      A session logs in with steps, or takes the state of a browser. Each capture that names it gets its
      cookies and storage.
    </EmptyState>
  );
}

function SessionTable({ sessions }: { readonly sessions: readonly SessionRecord[] }) {
  return (
    <Table layout="fixed" className={classes.table}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">Name</Table.Th>
          <Table.Th scope="col" w={140}>
            State
          </Table.Th>
          <Table.Th scope="col" visibleFrom="sm">
            Origins
          </Table.Th>
          <Table.Th scope="col" w={130} visibleFrom="md">
            Last check
          </Table.Th>
          <Table.Th scope="col" w={130} visibleFrom="md">
            Expires
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {sessions.map((session) => (
          <SessionRow key={session.id} session={session} />
        ))}
      </Table.Tbody>
    </Table>
  );
}

function SessionRow({ session }: { readonly session: SessionRecord }) {
  const { id, name, origins, checked_at: checkedAt, expires_at: expiresAt } = session;
  return (
    <Table.Tr>
      <Table.Td className="breaks">
        <Link href={`/sessions/${id}`} className={classes.link}>
          {name}
        </Link>
      </Table.Td>
      <Table.Td>
        <SessionState session={session} />
      </Table.Td>
      <Table.Td visibleFrom="sm" className="breaks">
        {origins.map((origin) => (
          <Text key={origin}>{origin}</Text>
        ))}
      </Table.Td>
      <Table.Td visibleFrom="md">{checkedAt === null ? '–' : <TimeText iso={checkedAt} />}</Table.Td>
      <Table.Td visibleFrom="md">{expiresAt === null ? '–' : <TimeText iso={expiresAt} />}</Table.Td>
    </Table.Tr>
  );
}
