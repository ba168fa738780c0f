import { structuredPatch } from 'diff';
import type { Two } from './two.js';
import type { WorkerAnswer } from './in-worker.js';

export interface TextHunk {
  /** Number of the first line in each text. */
  readonly starts: Two<number>;
  /** Lines that begin with a space, `-` or `+`. */
  readonly lines: readonly string[];
}

/** Two texts that have nothing in common would take minutes. */
const TIMEOUT_MS = 5_000;
/** What a patch says about the end of a text, which is not a line of it. */
const NO_LINE = '\\';
/** Lines around what differs. */
const CONTEXT = 3;

self.onmessage = ({ data: { texts } }: MessageEvent<{ readonly texts: Two<string> }>) => {
  const patch = structuredPatch('a', 'b', texts[0], texts[1], '', '', {
    context: CONTEXT,
    timeout: TIMEOUT_MS,
  });
  const answer: WorkerAnswer<TextHunk[]> = patch
    ? {
        result: patch.hunks.map(({ oldStart, newStart, lines }) => ({
          starts: [oldStart, newStart],
          lines: lines.filter((line) => !line.startsWith(NO_LINE)),
        })),
      }
    : { error: 'The texts differ too much to be compared in time.' };
  self.postMessage(answer);
};
