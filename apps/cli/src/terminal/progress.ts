import { styleText } from 'node:util';
import type { CliContext } from '../context/cli-context.js';
import { plain } from './output.js';

/** What takes less time needs no progress. */
const SHOW_AFTER_MS = 1_000;
const REDRAW_MS = 200;
const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const CLEAR_LINE = '\r\u001b[K';

/** A line that shows what is waited for, with the seconds so far. It is drawn on a terminal only, and leaves nothing. */
export interface Progress {
  /** Changes the text. */
  update(text: string): void;
}

/** Shows progress while `work` runs. */
export async function withProgress<T>(
  context: CliContext,
  text: string,
  work: (progress: Progress) => Promise<T>,
): Promise<T> {
  let current = text;
  const update = (next: string): void => {
    current = next;
  };
  if (!context.showsProgress) return work({ update });
  const began = performance.now();
  let frame = 0;
  const { stderr } = context;
  const draw = (): void => {
    const ms = performance.now() - began;
    if (ms < SHOW_AFTER_MS) return;
    const line = `${FRAMES[frame++ % FRAMES.length]} ${plain(current)}, ${Math.floor(ms / 1_000)} s`;
    stderr.write(
      CLEAR_LINE + styleText('dim', line.slice(0, (stderr.columns || 80) - 1), { stream: process.stderr }),
    );
  };
  const timer = setInterval(draw, REDRAW_MS);
  try {
    return await work({ update });
  } finally {
    clearInterval(timer);
    if (frame > 0) stderr.write(CLEAR_LINE);
  }
}
