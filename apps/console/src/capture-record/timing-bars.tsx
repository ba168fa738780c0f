import type { Timings } from '@capture-service/client';
import { Tooltip } from '@mantine/core';
import { duration } from '../ui/format.js';
import { phaseBars } from './phases.js';
import classes from './timing-bars.module.css';

/** How long each phase of a capture took, one after the other. */
export function TimingBars({ timings }: { readonly timings: Timings }) {
  return (
    <table className={classes.timings} aria-label="Time of each phase">
      <tbody>
        {phaseBars(timings).map(({ field, label, help, ms, left, width }) => (
          <Tooltip key={field} label={help}>
            <tr>
              <th scope="row">{label}</th>
              <td className={classes.scale} aria-hidden>
                <div
                  className={classes.bar}
                  data-phase={field}
                  style={{ left: `${left}%`, width: `${width}%` }}
                />
              </td>
              <td className={classes.ms}>{duration(ms)}</td>
            </tr>
          </Tooltip>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">Total</th>
          <td aria-hidden />
          <td className={classes.ms}>{duration(timings.total_ms)}</td>
        </tr>
      </tfoot>
    </table>
  );
}
