import type { CaptureRecord, FileRecord } from '@capture-service/client';
import { Alert, Anchor, Stack, Table, Text, Title } from '@mantine/core';
import { Link } from 'wouter';
import { kindOf } from '../../../capture-record/files.js';
import { ComparePictures } from './compare-pictures.js';
import { CompareTexts } from './compare-texts.js';
import classes from './compare.module.css';
import { comparedFacts } from './facts.js';
import type { Two } from './two.js';

/** The files of two captures compared, and what their records say. */
export function Comparison({ records }: { readonly records: Two<CaptureRecord> }) {
  return (
    <Stack gap="lg">
      <Files records={records} />
      <section>
        <Title order={2} size="h3" mb={4}>
          Facts
        </Title>
        <CompareFacts records={records} />
      </section>
    </Stack>
  );
}

function Files({ records }: { readonly records: Two<CaptureRecord> }) {
  const [a, b] = [fileOf(records[0]), fileOf(records[1])];
  if (!a || !b)
    return (
      <Alert color="gray">
        {a || b ? 'One of the captures has' : 'Both captures have'} no file that could be shown: it failed,
        has not ended, or the file has expired or was deleted.
      </Alert>
    );
  const [kindA, kindB] = [kindOf(a), kindOf(b)];
  if (kindA === 'picture' && kindB === 'picture') return <ComparePictures records={records} files={[a, b]} />;
  if (kindA === 'text' && kindB === 'text') return <CompareTexts records={records} files={[a, b]} />;
  return (
    <Alert color="gray">
      Files of the formats {a.format} and {b.format} cannot be compared here: only two pictures or two texts
      can.
    </Alert>
  );
}

/** The first picture, else the first file that is still there. The picture of a difference is not one of the page. */
function fileOf({ files }: CaptureRecord): FileRecord | undefined {
  const kept = files.filter(({ url, name }) => url !== null && name !== 'diff');
  return kept.find((file) => kindOf(file) === 'picture') ?? kept[0];
}

/** Both records in two columns; what differs is marked. */
function CompareFacts({ records }: { readonly records: Two<CaptureRecord> }) {
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
