/**
 * Capture: the options, the formats and the results of a capture. Nothing here starts a browser; the engine, which does, has
 * an entry of its own (`@app/capture/engine`) that the API must never import.
 */
export {
  CaptureFailure,
  type Captured,
  type CapturedFile,
  type CaptureTimings,
  type CaptureTraffic,
  type EngineTimings,
  type PartialCapture,
} from './captured.js';
export { cacheKeyOf, type EngineVersions } from './cache-key.js';
export { captureKeyOf } from './capture-key.js';
export {
  comparableOutputs,
  comparedKindOf,
  diffFormatOf,
  type ComparedKind,
  type ComparedOutput,
} from './comparison/compared-output.js';
export {
  NO_FACTS,
  noFileFacts,
  withoutFile,
  type CaptureFacts,
  type FailedFacts,
  type FileFacts,
} from './facts.js';
export {
  AWAITED,
  BLOCK_REASONS,
  CONSENT_ACTIONS,
  INCOMPLETE_REASONS,
  isAnythingMissing,
  nothingBlocked,
  OVERLAY_ACTIONS,
  OVERLAY_KINDS,
  nothingMissing,
  PAGE_LISTS,
  sumOfBlocked,
  VERDICTS,
  type BlockedRequests,
  COMPARISON_FAILURES,
  type ChangeReport,
  type ComparisonFailure,
  type ConsentReport,
  type OverlayReport,
  type MissingReport,
  type PageLists,
  type PageMetadata,
  type PageSummary,
  type PictureBox,
  type ReadinessReport,
  type StableReport,
  type Verdict,
} from './page-reports.js';
export { KNOWN_FEATURES, neededFeatures } from './features.js';
export { FORMATS, FORMAT_NAMES, isPicture, type Format } from './formats/index.js';
export { DEVICE_CATEGORIES, type DevicePreset } from './devices/device-preset.js';
export { devicePresets, renderDevicePresets } from './devices/presets.js';
export { deferredFaults, fileNameOf } from './options/delivery.js';
export { CaptureOptions } from './options/index.js';
export { optionExtensions, optionFamilies, renderOptionsDoc } from './options-doc.js';
export { DIFF, formatsAsked, RESULT } from './options/outputs.js';
export type { ResolvedOutput } from './outputs.js';
export { addressFault } from './options/target.js';
export {
  formatsOfOutputs,
  givenOptions,
  optionFaults,
  parseOptions,
  parseOptionsOver,
  parserWith,
  restoreOptions,
  storedOptions,
  type ParsedWith,
} from './parse-options.js';
export { DefaultOptions } from './default-options.js';
export { DefaultOptionsModule } from './default-options.module.js';
export { splitSecrets, statedOptions } from './secret-options.js';
