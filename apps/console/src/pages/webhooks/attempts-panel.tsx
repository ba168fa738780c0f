import { Table, Text } from '@mantine/core';
import type { DeliveryRecord } from '@capture-service/client';
import { duration, time } from '../../ui/format.js';
import { Panel } from '../../ui/panel.js';

/** The attempts, newest first. */
export function AttemptsPanel({ delivery: { log, attempts } }: { readonly delivery: DeliveryRecord }) {
  return (
    <Panel
      title="Attempts"
      aside={<Text c="dimmed">{`${attempts} since the event or the last replay`}</Text>}
    >
      {log.length === 0 ? (
        <Text c="dimmed">None yet.</Text>
      ) : (
        <Table.ScrollContainer minWidth={560} type="native" tabIndex={0} role="group" aria-label="Attempts">
          <Table className="numeric">
            <Table.Thead>
              <Table.Tr>
                <Table.Th scope="col">Time</Table.Th>
                <Table.Th scope="col">Status</Table.Th>
                <Table.Th scope="col">Error</Table.Th>
                <Table.Th scope="col" ta="right">
                  Duration
                </Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {log.toReversed().map((attempt) => (
                <Table.Tr key={attempt.at}>
                  <Table.Td>{time(attempt.at)}</Table.Td>
                  <Table.Td>{attempt.status ?? 'no response'}</Table.Td>
                  <Table.Td className="breaks">{attempt.error ?? '–'}</Table.Td>
                  <Table.Td ta="right">{duration(attempt.duration_ms)}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </Panel>
  );
}
