import type { CaptureRecord, FileRecord } from '@capture-service/client';
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useApi } from '../../../api/client.js';
import { nameToRead } from '../../../capture-record/files.js';
import { count } from '../../../ui/format.js';
import { ProblemAlert } from '../../../ui/problem-alert.js';
import type { Two } from './two.js';
import { inWorker } from './in-worker.js';
import type { PixelAnswer, PixelQuestion } from './pixels.worker.js';

interface ChangedPixelsProps {
  readonly records: Two<CaptureRecord>;
  readonly files: Two<FileRecord>;
}

/** The share of the pixels that differ, counted in a thread of its own. */
export function ChangedPixels({ records, files }: ChangedPixelsProps) {
  const { client } = useApi();
  const { data, error, refetch } = useQuery({
    queryKey: ['captures', 'pixels', records[0].id, files[0].name, records[1].id, files[1].name],
    queryFn: async ({ signal }) => {
      const picture = async (i: 0 | 1) => {
        const { bytes } = await client.captures.file(records[i].id, nameToRead(records[i], files[i]), {
          signal,
        });
        return new Blob([bytes]);
      };
      const question: PixelQuestion = { pictures: [await picture(0), await picture(1)] };
      const start = () => new Worker(new URL('./pixels.worker.ts', import.meta.url), { type: 'module' });
      return inWorker<PixelAnswer>(start, question, signal);
    },
    staleTime: Infinity,
    retry: false,
  });
  if (error)
    return (
      <ProblemAlert error={error} title="The pixels cannot be compared" onRetry={() => void refetch()} />
    );
  return (
    <Text role="status" className="numeric">
      {data ? summaryOf(data) : 'Counting the different pixels…'}
    </Text>
  );
}

function summaryOf({ changed, total }: PixelAnswer): string {
  if (changed === 0) return 'All pixels are the same.';
  const percent = (changed / total) * 100;
  return `${percent < 0.01 ? 'Less than 0.01' : percent.toFixed(2)} % of the pixels differ (${count(changed)} of ${count(total)}).`;
}
