import type { FileRecord } from '@capture-service/client';
import { Anchor, Text } from '@mantine/core';
import { useApi } from '../api/client.js';
import { bytes, count } from '../ui/format.js';
import { fileSummary, type ShownFile } from './files.js';
import classes from './views.module.css';

/** The slices of a picture, one below the other. Each is loaded when it is scrolled to. */
export function SliceColumn({ shown: { name, files } }: { readonly shown: ShownFile }) {
  const size = files.reduce((sum, file) => sum + file.bytes, 0);
  return (
    <>
      <Text c="dimmed" className="numeric" mb="xs">
        {count(files.length)} {files.length === 1 ? 'slice' : 'slices'} · {files[0].format} · {bytes(size)}
        {files[0].truncated && ' · cut off: the page was larger'}
      </Text>
      <div className={classes.slices} tabIndex={0} role="group" aria-label={`Slices of ${name}`}>
        {files.map((file) => (
          <Slice key={file.name} file={file} />
        ))}
      </div>
    </>
  );
}

function Slice({ file }: { readonly file: FileRecord }) {
  const { urlOf } = useApi();
  const { name, url, width, height } = file;
  if (url === null) return <Text c="dimmed">{name} has expired; its record is kept.</Text>;
  return (
    <figure>
      <Text component="figcaption" size="xs" c="dimmed" className="numeric">
        <Anchor href={urlOf(url)} download size="xs">
          {name}
        </Anchor>{' '}
        · from {count(file.offset_y ?? 0)} px · {fileSummary(file)}
      </Text>
      <img
        src={urlOf(url)}
        alt={`Captured picture ${name}`}
        width={width ?? undefined}
        height={height ?? undefined}
        loading="lazy"
      />
    </figure>
  );
}
