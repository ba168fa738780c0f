import type { CaptureRecord, FileRecord } from '@capture-service/client';
import { Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useFile } from '../../../capture-record/use-file.js';
import { count } from '../../../ui/format.js';
import { ProblemAlert } from '../../../ui/problem-alert.js';
import classes from './compare.module.css';
import type { Two } from './two.js';
import { inWorker } from './in-worker.js';
import type { TextHunk } from './texts.worker.js';

interface CompareTextsProps {
  readonly records: Two<CaptureRecord>;
  readonly files: Two<FileRecord>;
}

/** More lines would make the page slow. */
const SHOWN_LINES = 3_000;
const KINDS: Readonly<Record<string, string>> = { '+': 'added', '-': 'removed' };

/** The lines in which two texts differ. Captured HTML is shown as text. */
export function CompareTexts({ records, files }: CompareTextsProps) {
  const a = useFile(records[0], files[0]);
  const b = useFile(records[1], files[1]);
  const {
    data: hunks,
    error,
    refetch,
  } = useQuery({
    queryKey: ['captures', 'texts', records[0].id, files[0].name, records[1].id, files[1].name],
    queryFn: ({ signal }) =>
      inWorker<TextHunk[]>(
        () => new Worker(new URL('./texts.worker.ts', import.meta.url), { type: 'module' }),
        { texts: [textOf(a.data?.bytes), textOf(b.data?.bytes)] },
        signal,
      ),
    enabled: a.data !== undefined && b.data !== undefined,
    staleTime: Infinity,
    retry: false,
  });
  const failure = error ?? a.error ?? b.error;
  const retry = () => Promise.all([a.error && a.refetch(), b.error && b.refetch(), error && refetch()]);
  if (failure)
    return <ProblemAlert error={failure} title="The texts cannot be compared" onRetry={() => void retry()} />;
  if (!hunks) return <Skeleton h={240} role="status" aria-label="Comparing the texts" />;
  return <Hunks hunks={hunks} />;
}

function Hunks({ hunks }: { readonly hunks: readonly TextHunk[] }) {
  const all = hunks.flatMap(({ lines }) => lines);
  const numberOf = (sign: string) => count(all.filter((line) => line.startsWith(sign)).length);
  if (all.length === 0) return <Text role="status">Both texts are the same.</Text>;
  return (
    <Stack gap="xs">
      <Text role="status" className="numeric">
        {numberOf('-')} lines are only in capture A, {numberOf('+')} only in capture B.
      </Text>
      <div className={classes.text} tabIndex={0} role="group" aria-label="Lines that differ">
        {shown(hunks).map(({ starts, lines }, i) => (
          <div key={i}>
            <div className={classes.place}>
              line {count(starts[0])} of A, line {count(starts[1])} of B
            </div>
            {lines.map((line, at) => (
              <div key={at} className={classes.diffLine} data-kind={KINDS[line.charAt(0)]}>
                {line === '' ? ' ' : line}
              </div>
            ))}
          </div>
        ))}
      </div>
      {all.length > SHOWN_LINES && (
        <Text c="dimmed">Only the first {count(SHOWN_LINES)} lines are shown.</Text>
      )}
    </Stack>
  );
}

function shown(hunks: readonly TextHunk[]): TextHunk[] {
  let room = SHOWN_LINES;
  return hunks.flatMap((hunk) => {
    const lines = hunk.lines.slice(0, Math.max(0, room));
    room -= lines.length;
    return lines.length === 0 ? [] : [{ ...hunk, lines }];
  });
}

function textOf(bytes: Uint8Array | undefined): string {
  return new TextDecoder().decode(bytes);
}
