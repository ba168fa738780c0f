import { writeFileSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import sharp from 'sharp';
import type { ComparedPicture } from '../../apps/worker/src/comparison/picture-comparison.js';
import type { Client } from '../../test/support/client.js';

/** The captures of a page, by its checks in order. */
export type PageHistory = string[][];

/** What the monitors captured. */
export interface Recording {
  /** Pages that only have noise. */
  readonly quiet: PageHistory[];
  /** Pages that changed after their first check. */
  readonly changing: PageHistory[];
}

/** The pictures of the last run, which can be compared again without capturing the pages. */
const FOLDER = '.data/alarms';
const RECORDING = path.join(FOLDER, 'recording.json');

export async function emptyFolder(): Promise<void> {
  await rm(FOLDER, { recursive: true, force: true });
  await mkdir(FOLDER, { recursive: true });
}

/** Adds the captures of a check to the history of its page. */
export async function addCheck(
  client: Client,
  history: string[][],
  captureIds: readonly string[],
): Promise<void> {
  for (const id of captureIds) {
    const file = await client.get(`/v1/captures/${id}/result`);
    if (!file.ok) throw new Error(await file.text());
    await writeFile(path.join(FOLDER, `${id}.png`), Buffer.from(await file.arrayBuffer()));
  }
  history.push([...captureIds]);
}

/** Writes at once, as pages are checked side by side. */
export function saveRecording(recording: Recording): void {
  writeFileSync(RECORDING, JSON.stringify(recording));
}

export async function readRecording(): Promise<Recording> {
  return JSON.parse(await readFile(RECORDING, 'utf8')) as Recording;
}

export async function readPicture(id: string): Promise<ComparedPicture> {
  const bytes = await readFile(path.join(FOLDER, `${id}.png`));
  const { width, height } = await sharp(bytes).metadata();
  return { bytes, format: 'png', width, height };
}
