import { ActionIcon, Group, SegmentedControl, Text, Tooltip } from '@mantine/core';
import { ZoomInIcon, ZoomOutIcon } from '@radix-ui/react-icons';
import { useState } from 'react';
import { usePictureView } from './use-picture-view.js';
import classes from './views.module.css';
import type { Zoom } from './zoom.js';

interface PictureViewProps {
  readonly src: string;
  readonly name: string;
  readonly width: number;
  readonly height: number;
}

const FITS = [
  { value: 'width', label: 'Fit width' },
  { value: 'whole', label: 'Whole' },
  { value: '1', label: '1:1' },
];

/** Nearly always the size that it keeps, so that nothing below it jumps. */
const BEFORE_MEASURED = { maxWidth: '100%', height: 'auto' };

/** A picture that can be zoomed and moved by buttons, wheel, keyboard and dragging. */
export function PictureView({ src, name, width, height }: PictureViewProps) {
  const { ref, zoom, scale, setZoom, step, ...handlers } = usePictureView({ width, height });
  const [hasFailed, setHasFailed] = useState(false);
  if (hasFailed)
    return (
      <Text c="dimmed" p="lg" ta="center" role="alert">
        The picture cannot be loaded. It may have expired, or this browser does not show its format.
      </Text>
    );
  return (
    <div>
      <ZoomBar zoom={zoom} scale={scale} setZoom={setZoom} step={step} />
      <div
        ref={ref}
        className={classes.picture}
        tabIndex={0}
        role="group"
        aria-label={`Picture ${name}: plus and minus zoom, 1 shows it pixel by pixel, 0 fits the width, 9 fits all`}
        {...handlers}
      >
        <img
          src={src}
          alt={`Captured picture ${name}`}
          width={width}
          height={height}
          draggable={false}
          onError={() => setHasFailed(true)}
          style={scale === undefined ? BEFORE_MEASURED : { width: width * scale, height: height * scale }}
          data-enlarged={scale !== undefined && scale > 1}
        />
      </div>
    </div>
  );
}

interface ZoomBarProps {
  readonly zoom: Zoom;
  readonly scale: number | undefined;
  readonly setZoom: (zoom: Zoom) => void;
  readonly step: (direction: 1 | -1) => void;
}

function ZoomBar({ zoom, scale, setZoom, step }: ZoomBarProps) {
  return (
    <Group gap={6} mb="xs">
      <SegmentedControl
        data={FITS}
        value={FITS.find(({ value }) => value === String(zoom))?.value ?? ''}
        onChange={(value) => setZoom(value === '1' ? 1 : (value as Zoom))}
        aria-label="Size of the picture"
      />
      <Tooltip label="Smaller (−)">
        <ActionIcon onClick={() => step(-1)} aria-label="Zoom out">
          <ZoomOutIcon />
        </ActionIcon>
      </Tooltip>
      <Text className="numeric" w={48} ta="center" aria-live="polite">
        {scale === undefined ? '' : `${Math.round(scale * 100)} %`}
      </Text>
      <Tooltip label="Larger (+), or Ctrl and the mouse wheel">
        <ActionIcon onClick={() => step(1)} aria-label="Zoom in">
          <ZoomInIcon />
        </ActionIcon>
      </Tooltip>
    </Group>
  );
}
