import type { CaptureRecord, FileRecord } from '@capture-service/client';
import { Alert, Stack, Title } from '@mantine/core';
import { kindOf } from '../../../capture-record/files.js';
import { CompareFacts } from './compare-facts.js';
import { CompareTexts } from './compare-texts.js';
import { ComparePictures } from './compare-pictures.js';
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
