import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server';
import type { CaptureRecord } from '@capture-service/client';
import { captureResult, isShowable, MAX_INLINE_BYTES, pictureOf, summaryOf } from './capture-result.js';
import { fileLink } from './resources.js';
import type { ToolCall } from './tool.js';

type FileRecord = CaptureRecord['files'][number];

/** The tool that shows further slices. */
export const SHOW_SLICES_NAME = 'show_slices';

/** The slices of a capture, from top to bottom. */
export function slicesOf({ files }: CaptureRecord): readonly FileRecord[] {
  return files.filter(({ offset_y: top }) => top !== null);
}

/** The result for a capture that has succeeded: its slices, or its picture. */
export function shownResult(record: CaptureRecord, call: ToolCall): Promise<CallToolResult> {
  return slicesOf(record).length > 0 ? slicesResult(record, call) : captureResult(record, call);
}

/** The result for a capture with slices: those that fit from the given one on, and how to see the next ones. */
export async function slicesResult(
  record: CaptureRecord,
  call: ToolCall,
  first = 1,
): Promise<CallToolResult> {
  const all = slicesOf(record);
  const shown = fittingFrom(all.slice(first - 1));
  const pictures: ContentBlock[] = [];
  for (const slice of shown) pictures.push(await pictureOf(record, slice, call));
  const note = noteOf(record, { first, shown });
  const summary = first === 1 ? `${summaryOf(record, call)}\n${note}` : note;
  const linked = first === 1 ? [...shown, ...record.files.filter((file) => !all.includes(file))] : shown;
  return {
    content: [{ type: 'text', text: summary }, ...pictures, ...linked.map((file) => fileLink(record, file))],
  };
}

/** The slices that fit into a result together. */
function fittingFrom(slices: readonly FileRecord[]): FileRecord[] {
  let left = MAX_INLINE_BYTES;
  const fitting: FileRecord[] = [];
  for (const slice of slices) {
    left -= slice.bytes;
    if (left < 0 || !isShowable(slice)) break;
    fitting.push(slice);
  }
  return fitting;
}

interface ShownSlices {
  readonly first: number;
  readonly shown: readonly FileRecord[];
}

function noteOf(record: CaptureRecord, { first, shown }: ShownSlices): string {
  const all = slicesOf(record);
  const last = shown.at(-1);
  const next = first + shown.length;
  const begin = last
    ? `Slices ${first} to ${next - 1} of ${all.length} are below, in px ${shown[0]?.offset_y ?? 0} to ${(last.offset_y ?? 0) + (last.height ?? 0)} of the picture.`
    : `Slice ${first} of ${all.length} is too large to be shown here: capture smaller ones, as webp or jpeg.`;
  if (!last || next > all.length) return begin;
  return `${begin} Call ${SHOW_SLICES_NAME} {"id":"${record.id}","first":${next}} to see the next ones.`;
}
