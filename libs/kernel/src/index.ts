/**
 * Kernel: the vocabulary of every other library: errors, fields, canonical JSON, time, ids, sealed secrets, letters
 * that are boxes, limits of rate and concurrency, threads. It knows nothing of captures, HTTP or a database.
 */
export {
  AppError,
  PHASES,
  StartupError,
  type AppErrorFacts,
  type ErrorBody,
  type Fault,
  type Phase,
} from './errors/app-error.js';
export { ERRORS, ERROR_CODES, type ErrorCode, type ErrorRow } from './errors/catalogue.js';
export { compose, composeOverlay } from './fields/compose.js';
export {
  Choice,
  Decimal,
  Flag,
  Items,
  ObjectList,
  Part,
  Text,
  TextList,
  TextMap,
  VariantItems,
  Whole,
} from './fields/decorators.js';
export {
  fieldsOf,
  isPlainObject,
  schemaOf,
  type AnyClass,
  type FieldKind,
  type FieldNotes,
  type FieldSpec,
  type JsonSchema,
  type Variants,
} from './fields/field-spec.js';
export { boolean, every, integer, list, orNull, ref, refOrNull, string } from './fields/schema-parts.js';
export { isPlainlyValid } from './fields/quick-look.js';
export { readText, readTexts } from './fields/read-text.js';
export { faultsOf, instantiate, invalidRequest, nearestName, parse } from './fields/validate.js';
export { ConcurrencyLimit } from './concurrency-limit.js';
export { FairTurns } from './fair-turns.js';
export { canonicalJson } from './canonical-json.js';
export { boundText, MAX_TEXT, pluralize, type BoundedText, type TextKind } from './text.js';
export { SecretBox } from './secret-box.js';
export { Clock, ManualClock, SystemClock } from './clock.js';
export { cursorAfter, decodeCursor, pageOfRows, type Cursor, type ListPage } from './cursor.js';
export { commonPatterns, hostPatternFault, matchesHost } from './host-patterns.js';
export { isId, newId } from './ids.js';
export { retryAfterS } from './retry-after.js';
export { runInThread, type ThreadWork } from './run-in-thread.js';
export { TimeoutError, unlessAborted, withTimeout } from './timeout.js';
export { undrawnLetters, type LettersOfFont } from './undrawn-letters.js';
export { hostOf, portOf, siteOf } from './url-parts.js';
export { pause, WakeUp } from './wake-up.js';
export { msUntil, TOKEN, TokenBuckets, tokensGranted, type BucketLimit } from './token-buckets.js';
