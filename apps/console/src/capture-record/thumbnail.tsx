import {
  CodeIcon,
  CounterClockwiseClockIcon,
  CrossCircledIcon,
  FileIcon,
  FileTextIcon,
  ImageIcon,
  MinusCircledIcon,
  ReaderIcon,
  TrashIcon,
  UpdateIcon,
} from '@radix-ui/react-icons';
import { hasEnded, type CatalogueFormat } from '@capture-service/client';
import { useEffect, useState, type ComponentType } from 'react';
import { useApi } from '../api/client.js';
import type { CaptureRow } from './capture-row.js';
import { FORMATS } from './files.js';
import classes from './thumbnail.module.css';

interface ThumbnailProps {
  readonly row: CaptureRow;
  /** While a person scrolls fast, pictures that are gone in a moment are not requested. */
  readonly isPaused?: boolean;
}

const ICONS: Readonly<Record<Exclude<CatalogueFormat['kind'], 'picture'>, ComponentType>> = {
  print: ReaderIcon,
  markup: CodeIcon,
  text: FileTextIcon,
};
/** The service makes only a few thumbnails at once, and a key has only so many requests a second. */
const RETRIES_MS = [1_500, 4_000, 10_000];

/** A small picture of a capture, or what it has instead of one. Its shape is always the same, so that nothing jumps. */
export function Thumbnail({ row, isPaused = false }: ThumbnailProps) {
  if (row.hasPicture && row.status === 'succeeded') return <Picture id={row.id} isPaused={isPaused} />;
  const { icon: Icon, label } = placeholderOf(row);
  return (
    <span className={classes.frame} data-kind={!hasEnded(row) ? 'live' : row.status}>
      <Icon aria-hidden />
      <span className={classes.label}>{label}</span>
    </span>
  );
}

function placeholderOf(row: CaptureRow): { icon: ComponentType<{ 'aria-hidden'?: boolean }>; label: string } {
  if (row.kept === 'deleted') return { icon: TrashIcon, label: 'Deleted' };
  if (row.kept === 'expired') return { icon: CounterClockwiseClockIcon, label: 'Expired' };
  if (row.status === 'failed') return { icon: CrossCircledIcon, label: 'Failed' };
  if (row.status === 'canceled') return { icon: MinusCircledIcon, label: 'Canceled' };
  if (!hasEnded(row)) return { icon: UpdateIcon, label: row.status === 'queued' ? 'Queued' : 'Running' };
  const format = FORMATS.get(row.format);
  // A picture that is not shown is gone.
  if (!format || format.kind === 'picture') return { icon: FileIcon, label: row.format };
  return { icon: ICONS[format.kind], label: format.label };
}

function Picture({ id, isPaused }: { readonly id: string; readonly isPaused: boolean }) {
  const { urlOf } = useApi();
  const [isWanted, setIsWanted] = useState(!isPaused);
  const [state, setState] = useState<'loading' | 'shown' | 'failed'>('loading');
  const [attempt, setAttempt] = useState(0);
  if (!isPaused && !isWanted) setIsWanted(true);
  const retryMs = RETRIES_MS[attempt];
  useEffect(() => {
    if (state !== 'failed' || retryMs === undefined) return undefined;
    const timer = setTimeout(() => {
      setAttempt((now) => now + 1);
      setState('loading');
    }, retryMs);
    return () => clearTimeout(timer);
  }, [state, retryMs]);
  if (state === 'failed') {
    return (
      <span className={classes.frame}>
        <ImageIcon aria-hidden />
        <span className={classes.label}>No thumbnail</span>
      </span>
    );
  }
  return (
    <span className={classes.frame} data-kind={state}>
      {isWanted && (
        <img
          className={classes.picture}
          src={urlOf(`/v1/captures/${id}/thumbnail`)}
          alt=""
          loading="lazy"
          decoding="async"
          draggable={false}
          onLoad={() => setState('shown')}
          onError={() => setState('failed')}
        />
      )}
    </span>
  );
}
