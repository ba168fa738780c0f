import { Table, Text } from '@mantine/core';
import type { ServiceStatus } from '@capture-service/client';
import { Meter } from '../../ui/meter.js';
import { Panel } from '../../ui/panel.js';
import { TimeText } from '../../ui/time-text.js';
import classes from './workers-panel.module.css';

type Worker = ServiceStatus['workers'][number];

/** The workers that are alive, and how busy each is. */
export function WorkersPanel({ workers }: { readonly workers: readonly Worker[] }) {
  const slots = workers.reduce((sum, worker) => sum + worker.slots, 0);
  const busy = workers.reduce((sum, worker) => sum + worker.busy, 0);
  return (
    <Panel title="Workers" aside={<Text c="dimmed">{`${busy} of ${slots} slots busy`}</Text>}>
      {workers.length === 0 ? (
        <Text>No worker is alive: captures wait until one starts.</Text>
      ) : (
        <Table.ScrollContainer minWidth={640} type="native" tabIndex={0} role="group" aria-label="Workers">
          <Table className={`numeric ${classes.table}`} highlightOnHover={false}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th scope="col">Worker</Table.Th>
                <Table.Th scope="col" w="24%">
                  Busy slots
                </Table.Th>
                <Table.Th scope="col">Browsers</Table.Th>
                <Table.Th scope="col">Version</Table.Th>
                <Table.Th scope="col">Started</Table.Th>
                <Table.Th scope="col">Seen</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {workers.map((worker) => (
                <WorkerRow key={worker.id} worker={worker} />
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </Panel>
  );
}

/** The last part of an id tells workers apart, and its first one only when they started. */
const SHOWN_CHARACTERS = 12;

function WorkerRow({ worker: { id, slots, busy, healthy, browser, ...times } }: { readonly worker: Worker }) {
  const text = `${busy} of ${slots}`;
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={400} title={id}>
        {id.slice(-SHOWN_CHARACTERS)}
      </Table.Th>
      <Table.Td>
        <div className={classes.busy}>
          <Meter label="Busy slots" value={busy} max={slots} text={text} />
          <span>{text}</span>
        </div>
      </Table.Td>
      <Table.Td>{healthy === slots ? 'all run' : `${healthy} of ${slots} run`}</Table.Td>
      <Table.Td className={classes.version}>{browser}</Table.Td>
      <Table.Td>{times.started_at === null ? 'not known' : <TimeText iso={times.started_at} />}</Table.Td>
      <Table.Td>
        <TimeText iso={times.seen_at} />
      </Table.Td>
    </Table.Tr>
  );
}
