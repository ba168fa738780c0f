/**
 * Client: the package `@capture-service/client`, which calls the API over HTTP from Node, browsers and Deno. It depends on
 * nothing, neither on a package nor on a library of the service, and knows only what the API document says.
 */
export type { AccountPages, AccountUsageFilters, AdminApi, AuditFilters, KeyFilters } from './admin-api.js';
export type { CaptureFile, DownloadedFile, Saved, SavedFile } from './answers.js';
export type {
  BatchFilters,
  BatchSettings,
  BatchWaitOptions,
  BulkApi,
  Csv,
  RetrySettings,
  RowFilters,
  RowPageFilters,
} from './bulk-api.js';
export { CaptureClient, type CaptureClientOptions, type DayRange } from './capture-client.js';
export {
  CaptureError,
  type CaptureErrorCode,
  type ClientErrorCode,
  type ProblemCode,
} from './capture-error.js';
export type {
  CaptureAction,
  CaptureFormat,
  CaptureOptionFields,
  CaptureOptions,
  CaptureOutput,
  FileCaptureOptions,
  JobOptions,
  LinkOptions,
  RecordCaptureOptions,
} from './capture-options.js';
export type { CaptureFilters, CapturesApi, NamedFile, StatsRange } from './captures-api.js';
export type { CatalogueFamily, CatalogueFormat, CatalogueOption, CatalogueSchema } from './catalogue.js';
export type {
  AcceptedBatch,
  AccountChangeRequest,
  AccountList,
  AccountRecord,
  AccountUsage,
  AccountUsageList,
  AuditList,
  AuditRecord,
  BatchEvent,
  BatchItem,
  BatchList,
  BatchRecord,
  BatchVerdict,
  BlockedRequests,
  CacheReport,
  CaptureEvent,
  CaptureFailure,
  CaptureList,
  CaptureRecord,
  CaptureStats,
  ChangeReport,
  ConsentReport,
  OverlayReport,
  DeliveryAttempt,
  DeliveryItem,
  DeliveryList,
  DeliveryRecord,
  Device,
  EndedBatchRecord,
  FieldError,
  FileRecord,
  Health,
  JobRecord,
  MonitorCheck,
  MonitorCheckList,
  MonitorList,
  MonitorRecord,
  KeyList,
  KeyRecord,
  KeyChangeRequest,
  KeyRotationRequest,
  NewAccountRequest,
  NewKeyRecord,
  NewKeyRequest,
  PageMetadata,
  Percentiles,
  Problem,
  ReadinessReport,
  ServiceStatus,
  ServiceVersion,
  SessionList,
  BrokenPage,
  BrokenPageList,
  CrawlPage,
  CrawlPageList,
  CrawlRecord,
  SessionRecord,
  SessionReport,
  SignedLink,
  StableReport,
  Timings,
  Usage,
  UsageDay,
  UsageDays,
  UsageEvent,
  Verdict,
  WebhookDelivery,
  WebhookSecret,
  WebhookTestEvent,
  HealthHistory,
  QueueOverview,
  SettingRecord,
  WorkerList,
  WorkerRecord,
} from './generated/openapi/index.js';
export { rowFileName, safeLabel, withoutDevice } from './file-names.js';
export type {
  CrawlFile,
  CrawlFilters,
  CrawlPageFilters,
  CrawlsApi,
  CrawlWaitOptions,
  NewCrawl,
} from './crawls-api.js';
export { FORMAT_CATALOGUE } from './generated/format-catalogue.js';
export { hasEnded } from './has-ended.js';
export { OPTION_CATALOGUE, OPTION_FAMILIES, type FormatOptions } from './generated/option-catalogue.js';
export { VERSION } from './generated/version.js';
export type { JobsApi, JobWaitOptions } from './jobs-api.js';
export { linkQuery } from './link-query.js';
export { PagePaths } from './page-paths.js';
export type { LinkLife, LinksApi, LinkSettings, SigningSecret } from './links-api.js';
export type {
  BrowserState,
  NewSession,
  SessionLogIn,
  SessionPages,
  SessionsApi,
  SessionWaitOptions,
} from './sessions-api.js';
export type {
  MonitorCheckFilters,
  MonitorFilters,
  MonitorRequest,
  MonitorsApi,
  MonitorUpdate,
} from './monitors-api.js';
export type { CallOptions } from './transport.js';
export {
  verifyWebhook,
  type WebhookEvent,
  type WebhookHeaders,
  type WebhookVerification,
} from './verify-webhook.js';
export type { DeliveryFilters, WebhooksApi } from './webhooks-api.js';
