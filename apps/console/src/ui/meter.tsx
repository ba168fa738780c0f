import classes from './meter.module.css';

interface MeterProps {
  readonly label: string;
  readonly value: number;
  readonly max: number;
  /** The value in words. */
  readonly text: string;
  /** From this part of `max` on the value is high: it has a mark and another colour. */
  readonly mark?: number;
}

/** A bar of how much of something is in use. */
export function Meter({ label, value, max, text, mark }: MeterProps) {
  const part = max > 0 ? Math.min(1, Math.max(0, value / max)) : Number(value > 0);
  return (
    <div
      className={classes.track}
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={max}
      aria-valuenow={Math.min(value, max)}
      aria-valuetext={text}
    >
      <div className={classes.fill} data-level={levelOf(part, mark)} style={{ width: `${part * 100}%` }} />
      {mark !== undefined && <span className={classes.mark} style={{ left: `${mark * 100}%` }} />}
    </div>
  );
}

function levelOf(part: number, mark: number | undefined): string | undefined {
  if (mark === undefined || part < mark) return undefined;
  return part >= 1 ? 'full' : 'high';
}
