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
} from './findings/captured.js';
export { isCookieOf } from './browser-state/state-cookies.js';
export { storageScript } from './browser-state/storage-script.js';
export type {
  BrowserState,
  OriginState,
  SessionUse,
  StateCookie,
  StateDatabase,
  StateRecord,
  StateStore,
} from './pipeline/browser-state.js';
export { SESSION_NAME } from './options/session.js';
export type { SessionFact } from './record/session.js';
export { cacheKeyOf, type EngineVersions } from './request/cache-key.js';
export { captureKeyOf } from './request/capture-key.js';
export {
  comparableOutputs,
  comparedKindOf,
  diffFormatOf,
  type ComparedOutput,
} from './request/compared-output.js';
export { snakeCase, type FileFields, type RecordFields } from './record/fact.js';
export {
  FACTS,
  NO_FACTS,
  noFacts,
  noFileFacts,
  RECORD_PARTS,
  withoutFile,
  type CaptureFacts,
  type FailedFacts,
  type FileFacts,
} from './record/facts.js';
export {
  columnsOfFacts,
  FACT_COLUMNS,
  FILE_FACT_NAMES,
  fileFields,
  recordFields,
  type ShownFileFacts,
  type StoredFacts,
} from './record/columns.js';
export {
  erasedFields,
  EXAMPLE_FACTS,
  factComponents,
  fieldSchemas,
  fileSchemas,
  openFields,
  type FieldSchema,
} from './record/documentation.js';
export type { ChangedLine, ChangeReport, ComparisonFailure } from './record/change.js';
export { nothingMissing, type MissingReport } from './record/completeness.js';
export type { ConsentReport } from './record/consent.js';
export type { OverlayReport } from './record/overlays.js';
export { PAGE_LISTS, type PageLists, type PageMetadata } from './record/page-metadata.js';
export type { PictureBox } from './record/picture-box.js';
export type { ReadinessReport } from './record/readiness.js';
export { BLOCK_REASONS, nothingBlocked, type BlockedRequests } from './record/requests.js';
export type { StableReport } from './record/stable.js';
export { isLogInWall, VERDICTS, type Verdict } from './record/verdict.js';
export { KNOWN_FEATURES, neededFeatures } from './request/features.js';
export { aboutFormat, FORMATS, FORMAT_NAMES, isPicture, type Format } from './formats/index.js';
export { DEVICE_CATEGORIES, type DevicePreset } from './options/devices/device-preset.js';
export { devicePresets, renderDevicePresets } from './options/devices/presets.js';
export { deferredFaults, fileNameOf } from './request/delivery.js';
export { CaptureOptions, OPTIONS } from './request/capture-options.js';
export { addressesOf } from './options/actions.js';
export { Recording } from './options/recording.js';
export { loadsByCss } from './options/css-loads.js';
export { EXPOSURE_RULES, type Exposure } from './pipeline/exposure.js';
export type { ComparedKind, FileKind } from './pipeline/format.js';
export type { OptionSpec } from './pipeline/option-fields.js';
export {
  formatCatalogue,
  optionExtensions,
  optionFamilies,
  renderOptionsDoc,
} from './request/options-doc.js';
export { DIFF, FAILURE, formatsAsked, RESULT } from './request/outputs.js';
export type { OutputFiles, ResolvedOutput } from './request/resolved-outputs.js';
export { addressFault } from './options/target.js';
export {
  bindSession,
  complete as completeOptions,
  filesOfOutputs,
  formatsOfOutputs,
  givenOptions,
  holdToHosts,
  hasSeveralFiles,
  optionFaults,
  parseOptions,
  parseOptionsOver,
  parserWith,
  restoreOptions,
  storedOptions,
  type OptionSource,
  type ParsedWith,
} from './request/parse-options.js';
export { RowOptions } from './request/row-options.js';
export { DefaultOptions } from './request/default-options.js';
export { DefaultOptionsModule } from './request/default-options.module.js';
export { SECRET_OPTIONS, splitSecrets, statedOptions } from './request/secret-options.js';
