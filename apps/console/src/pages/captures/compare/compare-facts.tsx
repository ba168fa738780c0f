import type { CaptureRecord } from '@capture-service/client';
import { Anchor, Table, Text } from '@mantine/core';
import { Link } from 'wouter';
import classes from './compare.module.css';
import type { Two } from './two.js';
import { comparedFacts } from './facts.js';

/** Both records in two columns; what differs is marked. */
export function CompareFacts({ records }: { readonly records: Two<CaptureRecord> }) {
  return (
    <Table layout="fixed" className={classes.facts}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th className={classes.label}>
            <Text span size="xs" c="dimmed">
              Differences are highlighted
            </Text>
          </Table.Th>
          {records.map(({ id }, i) => (
            <Table.Th key={i}>
              <Anchor component={Link} href={`/captures/${id}`} size="sm">
                {i === 0 ? 'Capture A' : 'Capture B'}
              </Anchor>
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {comparedFacts(records).map(({ label, values, differs }) => (
          <Table.Tr key={label} data-differs={differs}>
            <Table.Th scope="row" className={classes.label}>
              {label}
            </Table.Th>
            {values.map((value, i) => (
              <Table.Td key={i} className="breaks numeric">
                <Text component={differs ? 'mark' : 'span'} className={classes.value} lineClamp={4}>
                  <bdi>{value}</bdi>
                </Text>
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
