import { AppError } from '@app/kernel';
import type { BrowserState } from '../pipeline/browser-state.js';
import type { CaptureFacts, FailedFacts, FileFacts } from '../record/facts.js';
import type { PictureBox } from '../record/picture-box.js';
import type { Format } from '../formats/index.js';

/** Time in ms of each phase, 0 for a phase that was not reached. The worker adds `queue`, `store` and `total`. */
export interface CaptureTimings {
  queue_ms: number;
  prepare_ms: number;
  navigate_ms: number;
  settle_ms: number;
  render_ms: number;
  store_ms: number;
  total_ms: number;
}

export type EngineTimings = Pick<CaptureTimings, 'prepare_ms' | 'navigate_ms' | 'settle_ms' | 'render_ms'>;

/** One file of a capture. */
export interface CapturedFile {
  readonly name: string;
  readonly format: Format;
  readonly bytes: Uint8Array;
  /** `pageHeight` is the height of the page when this file was made. */
  readonly facts: FileFacts & Pick<CaptureFacts, 'pageHeight'>;
  /** The parts of a picture that a comparison ignores. */
  readonly ignored?: readonly PictureBox[];
}

/** A capture as the engine returns it. */
export interface Captured {
  /** In the order in which they were asked for. */
  readonly files: readonly [CapturedFile, ...CapturedFile[]];
  /** The facts of the page, and of the first file. */
  readonly facts: CaptureFacts;
  /** A hash of the visible text, for comparisons; null without `compare_with`, and when the page could not be read. */
  readonly textHash: Buffer | null;
  readonly timings: EngineTimings;
  readonly traffic: CaptureTraffic;
  /** What the browser kept of the session at the end, when the capture keeps it. */
  readonly state?: BrowserState;
}

/** What a capture found out before it failed. */
export interface PartialCapture {
  readonly facts: FailedFacts;
  readonly timings: EngineTimings;
  /** The window at the moment of the failure, when the options ask for it. */
  readonly picture?: CapturedFile | undefined;
}

/** The error that a capture failed with, and what it found out before. */
export class CaptureFailure extends AppError {
  constructor(
    error: AppError,
    readonly partial: PartialCapture,
  ) {
    super(error.code, error.facts);
    // The log shows where the error arose, not where it was wrapped.
    if (error.stack !== undefined) this.stack = error.stack;
  }
}

/** Network traffic of a capture, for the log. */
export interface CaptureTraffic {
  /** Tunnels and plain requests. */
  readonly requests: number;
  /** On the wire, in both directions. */
  readonly bytes: number;
}
