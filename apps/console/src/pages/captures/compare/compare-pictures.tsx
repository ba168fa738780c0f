import type { CaptureRecord, FileRecord } from '@capture-service/client';
import { Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { useRef, useState } from 'react';
import { useApi } from '../../../api/client.js';
import { count } from '../../../ui/format.js';
import { ChangedPixels } from './changed-pixels.js';
import classes from './compare.module.css';
import { Sliding } from './sliding.js';
import type { Two } from './two.js';

type Mode = 'side' | 'slider' | 'difference';

const MODES = [
  { value: 'side', label: 'Side by side' },
  { value: 'slider', label: 'Slider' },
  { value: 'difference', label: 'Difference' },
];
const NAMES = ['Capture A', 'Capture B'];

interface PicturesProps {
  readonly records: Two<CaptureRecord>;
  readonly files: Two<FileRecord>;
}

/** Two pictures side by side, one over the other, or subtracted from each other. */
export function ComparePictures({ records, files }: PicturesProps) {
  const [mode, setMode] = useState<Mode>('side');
  const { urlOf } = useApi();
  const urls: Two<string> = [urlOf(files[0].url ?? ''), urlOf(files[1].url ?? '')];
  const isSameSize = files[0].width === files[1].width && files[0].height === files[1].height;
  return (
    <Stack gap="sm">
      <Group gap="sm">
        <SegmentedControl
          aria-label="Kind of comparison"
          data={MODES}
          value={mode}
          onChange={(value) => setMode(value as Mode)}
        />
        {isSameSize ? (
          <ChangedPixels records={records} files={files} />
        ) : (
          <Text c="dimmed">
            The pictures differ in size: {sizeOf(files[0])} and {sizeOf(files[1])}. They are aligned at the
            top left.
          </Text>
        )}
      </Group>
      {mode === 'side' && <SideBySide urls={urls} files={files} />}
      {mode === 'slider' && (
        <Sliding
          label="Capture A over capture B"
          sliderLabel="Part of capture A that is shown, in percent"
          style={extentOf(files)}
          over={<Picture url={urls[0]} file={files[0]} name="Capture A" />}
          under={<Picture url={urls[1]} file={files[1]} name="Capture B" />}
        />
      )}
      {mode === 'difference' && <Difference urls={urls} files={files} />}
    </Stack>
  );
}

interface ShownProps extends Pick<PicturesProps, 'files'> {
  readonly urls: Two<string>;
}

/** Both scroll together. */
function SideBySide({ urls, files }: ShownProps) {
  const first = useRef<HTMLDivElement>(null);
  const second = useRef<HTMLDivElement>(null);
  const follow = (leader: HTMLDivElement | null, follower: HTMLDivElement | null) => {
    if (!leader || !follower || follower.scrollTop === leader.scrollTop) return;
    follower.scrollTop = leader.scrollTop;
  };
  const panes = [
    { ref: first, onScroll: () => follow(first.current, second.current) },
    { ref: second, onScroll: () => follow(second.current, first.current) },
  ];
  return (
    <div className={classes.pair}>
      {panes.map((pane, i) => (
        <figure key={i} className={classes.pane}>
          <figcaption>{NAMES[i]}</figcaption>
          <div {...pane} className={classes.view} tabIndex={0} role="group" aria-label={NAMES[i]}>
            <Picture url={urls[i]} file={files[i]} name={NAMES[i] ?? ''} />
          </div>
        </figure>
      ))}
    </div>
  );
}

function Difference({ urls, files }: ShownProps) {
  return (
    <Stack gap={4}>
      <Text c="dimmed">Parts that are the same are black. The brighter a part is, the more it differs.</Text>
      <div className={classes.view} tabIndex={0} role="group" aria-label="Difference of both captures">
        <div className={`${classes.stack} ${classes.subtracted}`} style={extentOf(files)}>
          <Picture url={urls[0]} file={files[0]} name="Capture A" />
          <div className={classes.over}>
            <Picture url={urls[1]} file={files[1]} name="Capture B" />
          </div>
        </div>
      </div>
    </Stack>
  );
}

interface PictureProps {
  readonly url: string | undefined;
  readonly file: FileRecord | undefined;
  readonly name: string;
}

function Picture({ url, file, name }: PictureProps) {
  return (
    <img
      src={url}
      alt={name}
      width={file?.width ?? undefined}
      height={file?.height ?? undefined}
      draggable={false}
    />
  );
}

/** Room for both pictures; pictures of different widths keep their scale. */
function extentOf([a, b]: Two<FileRecord>) {
  return { maxWidth: Math.max(a.width ?? 0, b.width ?? 0) };
}

function sizeOf({ width, height }: FileRecord): string {
  return `${count(width ?? 0)} × ${count(height ?? 0)} px`;
}
