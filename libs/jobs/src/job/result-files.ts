import {
  comparedKindOf,
  diffFormatOf,
  FAILURE,
  fileFactsOf,
  FORMATS,
  formatsOfOutputs,
  noFileFacts,
  RESULT,
  type CaptureOptions,
} from '@app/capture';
import type { Job } from './job.entity.js';
import type { OtherFile } from './stored-file.js';

/** A file of a capture. The key is null once the file has expired. */
export type JobFile = Omit<OtherFile, 'key'> & { readonly key: string | null };

/**
 * The files of a capture in the order of its outputs; none unless it has succeeded and was not deleted. One that failed may have
 * a picture of the failure.
 */
export function filesOf(job: Job): JobFile[] {
  const { format, resultKey: key, contentType, bytes, sha256, otherFiles, ...facts } = job;
  if (
    (job.status !== 'succeeded' && job.status !== 'failed') ||
    job.deletedAt ||
    contentType === null ||
    bytes === null ||
    sha256 === null
  ) {
    return [];
  }
  if (job.status === 'failed') return [failurePictureOf({ key, contentType, bytes, sha256 })];
  const { pageHeight, truncated } = facts;
  const shown = { ...fileFactsOf({ ...facts, truncated: truncated ?? false }), pageHeight };
  const first = { name: firstNameOf(job), format, key, contentType, bytes, sha256, ...shown };
  return [first, ...(otherFiles ?? []).map((file) => (key === null ? { ...file, key } : file))];
}

function failurePictureOf(stored: Pick<JobFile, 'key' | 'contentType' | 'bytes' | 'sha256'>): JobFile {
  return { name: FAILURE, format: 'png', ...stored, ...noFileFacts(), pageHeight: null };
}

/** The keys of the files of a capture. */
export function keysOf(job: Job): string[] {
  return filesOf(job).flatMap(({ key }) => key ?? []);
}

function firstNameOf({ options: { outputs } }: Job): string {
  const [first] = (Array.isArray(outputs) ? outputs : []) as readonly { readonly name?: string }[];
  return first?.name ?? RESULT;
}

/** The columns of a job that name the files of its attempts. */
export type AttemptedJob = Pick<
  Job,
  'id' | 'attempt' | 'format' | 'resultKey' | 'otherExtensions' | 'originId'
>;

/** The extensions of the files that an attempt may store besides the first one; null when there are none. */
export function otherExtensionsOf(options: CaptureOptions): string[] | null {
  const formats = formatsOfOutputs(options);
  const others = formats.slice(1);
  const compared = formats.map(comparedKindOf).find((kind) => kind !== null);
  // The file of differences comes last.
  if (options.compare_with !== undefined && compared) others.push(diffFormatOf(compared));
  return others.length > 0 ? others.map((format) => FORMATS[format].extension) : null;
}

/**
 * The keys of the files of one attempt: that of the first file, and those of the others. Each attempt has its own, so that a
 * late one never overwrites another's files. They are known before the files are stored, and follow from the row.
 */
export function attemptKeysOf(
  { id, format, otherExtensions }: Omit<AttemptedJob, 'resultKey' | 'originId'>,
  attempt: number,
): readonly [string, ...string[]] {
  const others = otherExtensions ?? [];
  return [
    `captures/${id}/${attempt}.${FORMATS[format].extension}`,
    ...others.map((extension, i) => `captures/${id}/${attempt}n${i + 2}.${extension}`),
  ];
}

/** The keys of the files that a row owns: what its attempts may have stored, except files that are shared. */
export function resultKeysOf(job: AttemptedJob): string[] {
  const keys = ownAttempts(job).flat();
  // The extension of a format could change from one version to the next.
  return job.resultKey === null || job.originId !== null ? keys : [...new Set([...keys, job.resultKey])];
}

/** The keys of the files that attempts may have stored which the row does not name. */
export function unnamedKeysOf(job: AttemptedJob): string[] {
  return ownAttempts(job)
    .filter(([first]) => first !== job.resultKey)
    .flat();
}

/** The last attempt of a capture whose files are shared made them, so that they belong to `shared_files`. */
function ownAttempts(job: AttemptedJob): (readonly [string, ...string[]])[] {
  const length = job.originId === job.id ? Math.max(0, job.attempt - 1) : job.attempt;
  return Array.from({ length }, (_, i) => attemptKeysOf(job, i + 1));
}
