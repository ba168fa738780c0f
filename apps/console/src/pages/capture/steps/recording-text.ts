import type { Values } from '../form/options.js';

/** A recording has at most 200,000 characters; a larger file would only freeze the browser. */
const MAX_BYTES = 1_000_000;

export type ReadRecording =
  | { readonly recording: Values; readonly fault?: undefined }
  | { readonly fault: string };

/** Reads what Chrome's Recorder exports as JSON. The service says which of its steps a capture cannot do. */
export async function readRecording(file: Pick<File, 'name' | 'size' | 'text'>): Promise<ReadRecording> {
  if (file.size > MAX_BYTES) return { fault: `${file.name} is larger than a recording may be.` };
  try {
    return recordingOf(file.name, JSON.parse(await file.text()));
  } catch {
    return { fault: `${file.name} is not JSON. In the Recorder, choose Export, then JSON.` };
  }
}

function recordingOf(name: string, value: unknown): ReadRecording {
  const isRecording =
    typeof value === 'object' && value !== null && 'steps' in value && Array.isArray(value.steps);
  return isRecording
    ? { recording: value }
    : {
        fault: `${name} is no recording: it has no list of steps. In the Recorder, choose Export, then JSON.`,
      };
}

/** A step of a recording in a few words: `click aria/Search`. */
export function summaryOf(step: unknown): string {
  const { type, selectors, url, key, value, expression } = step as Values;
  const what = firstSelector(selectors) ?? [url, key, expression].find((each) => typeof each === 'string');
  const typed = typeof value === 'string' && type === 'change' ? `= ${value}` : undefined;
  const parts: unknown[] = [type, what, typed];
  return parts.filter((part) => typeof part === 'string').join(' ');
}

/** The first one; a list of them goes through shadow roots. */
function firstSelector(selectors: unknown): string | undefined {
  const [first] = Array.isArray(selectors) ? (selectors as unknown[]) : [];
  return Array.isArray(first) ? first.join(' >>> ') : typeof first === 'string' ? first : undefined;
}
