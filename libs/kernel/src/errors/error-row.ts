/** What the catalogue says of each code. */
export interface ErrorRow {
  /** HTTP status of a response with this code. */
  readonly status: number;
  /** Whether the same request may succeed later without a change. A job is retried only if it is. */
  readonly retryable: boolean;
  /** `title` of the problem document (RFC 9457), the same for each occurrence. */
  readonly title: string;
  /** Cause and remedy, for docs/errors.md; also the `detail` of an error that has none of its own. */
  readonly doc: string;
}
