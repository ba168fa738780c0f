import { Slider, Stack } from '@mantine/core';
import { useState, type CSSProperties, type ReactNode } from 'react';
import classes from './compare.module.css';

interface SlidingProps {
  /** Names both pictures. */
  readonly label: string;
  /** Names the slider. */
  readonly sliderLabel: string;
  readonly over: ReactNode;
  readonly under: ReactNode;
  readonly className?: string | undefined;
  readonly style?: CSSProperties;
}

/** One picture over another one, up to a line that a person moves. */
export function Sliding({ label, sliderLabel, over, under, className = '', style }: SlidingProps) {
  const [share, setShare] = useState(50);
  return (
    <Stack gap="xs">
      <Slider value={share} onChange={setShare} label={null} thumbLabel={sliderLabel} />
      <div className={classes.view} tabIndex={0} role="group" aria-label={label}>
        <div className={`${classes.stack} ${className}`} style={style}>
          {under}
          <div className={classes.over} style={{ clipPath: `inset(0 ${100 - share}% 0 0)` }}>
            {over}
          </div>
          <div className={classes.edge} style={{ left: `${share}%` }} />
        </div>
      </div>
    </Stack>
  );
}
