import type { CliIo } from '../context/cli-context.js';
import { plain } from '../terminal/output.js';
import type { BatchProgress } from './batch-progress.js';

const REDRAW_MS = 100;
const BAR_WIDTH = 24;
const DEFAULT_COLUMNS = 80;

/** Clears the line from the cursor to its end. */
const CLEAR = '\r\u001b[K';

/** What is shown besides the progress. */
export interface Activity {
  readonly progress: BatchProgress;
  /** Files that are being downloaded. */
  readonly downloads: ReadonlySet<string>;
}

/** One line at the bottom of a terminal that shows how far a list is. It takes the width that the terminal has when it is drawn. */
export class ProgressLine {
  private readonly timer: NodeJS.Timeout;
  private isDrawn = false;
  private readonly draw = (): void => {
    this.isDrawn = true;
    this.stderr.write(`${CLEAR}${lineOf(this.activity, this.stderr.columns || DEFAULT_COLUMNS)}`);
  };

  constructor(
    private readonly stderr: CliIo['stderr'],
    private readonly activity: Activity,
  ) {
    this.timer = setInterval(this.draw, REDRAW_MS);
    this.timer.unref();
    stderr.on('resize', this.draw);
    this.draw();
  }

  /** Prints a line above. */
  print(text: string): void {
    this.clear();
    this.stderr.write(`${text}\n`);
  }

  /** Removes the line; it is not drawn again. */
  close(): void {
    clearInterval(this.timer);
    this.stderr.off('resize', this.draw);
    this.clear();
  }

  private clear(): void {
    if (this.isDrawn) this.stderr.write(CLEAR);
    this.isDrawn = false;
  }
}

/** `[#####.....] 412/1,000  6 failed  14.2/s  ETA 0:41  00412-about.png`, cut to the columns. */
export function lineOf({ progress, downloads }: Activity, columns: number): string {
  const { done, total, counts, pace, etaS, isAway, isGrowing } = progress;
  const width = Math.min(BAR_WIDTH, Math.floor(columns / 4));
  const parts = [
    `${bar(total === 0 ? 0 : Math.min(1, done / total), width)} ${number(done)}/${number(total)}${isGrowing ? '+' : ''}`,
    counts.failed > 0 ? `${number(counts.failed)} failed` : '',
    isAway ? 'the service does not answer, waiting' : '',
    pace === undefined ? '' : `${pace.toFixed(1)}/s`,
    etaS === undefined ? '' : `ETA ${duration(etaS)}`,
    plain([...downloads].join(' ')),
  ];
  // A line that fills the last column would wrap in some terminals.
  return cut(parts.filter((part) => part !== '').join('  '), columns - 1);
}

function bar(share: number, width: number): string {
  const full = Math.floor(share * width);
  return `[${'#'.repeat(full)}${'.'.repeat(width - full)}]`;
}

function number(value: number): string {
  return value.toLocaleString('en-US');
}

/** `0:41`, `1:02:03`. */
export function duration(seconds: number): string {
  const whole = Math.ceil(seconds);
  const [hours, minutes, rest] = [Math.floor(whole / 3_600), Math.floor(whole / 60) % 60, whole % 60];
  const two = (value: number): string => String(value).padStart(2, '0');
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}

/** References may be in any script; characters of two columns are counted as such. */
function cut(text: string, columns: number): string {
  let width = 0;
  let end = 0;
  for (const character of text) {
    width += WIDE.test(character) ? 2 : 1;
    if (width > columns) break;
    end += character.length;
  }
  return text.slice(0, Math.max(0, end));
}

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Extended_Pictographic}/u;
