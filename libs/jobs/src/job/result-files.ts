import { comparedKindOf, diffFormatOf, FORMATS, type CaptureOptions, type OutputFiles } from '@app/capture';
import type { StoredFile } from './capture-files.js';
import type { Job } from './job.entity.js';

/** A file of a capture. The key is null once the file has expired. */
export type JobFile = Omit<StoredFile, 'key'> & { readonly key: string | null };

/**
 * The files of a capture in the order of its outputs; none unless it has succeeded and was not deleted. One that failed may have
 * a picture of the failure.
 */
export function filesOf({ files, resultKey }: Job): readonly JobFile[] {
  return resultKey === null ? (files ?? []).map((file) => ({ ...file, key: null })) : (files ?? []);
}

/** The keys of the files of a capture. */
export function keysOf(job: Job): string[] {
  return filesOf(job).flatMap(({ key }) => key ?? []);
}

/** The columns of a job that name the files of its attempts. */
export type AttemptedJob = Pick<
  Job,
  'id' | 'attempt' | 'format' | 'resultKey' | 'otherExtensions' | 'originId'
>;

/**
 * The extensions of the files that an attempt may store besides the first one; null when there are none.
 *
 * @param outputs what `filesOfOutputs` returns for the options
 */
export function otherExtensionsOf(options: CaptureOptions, outputs: readonly OutputFiles[]): string[] | null {
  const others = outputs.flatMap(({ format, count }) => Array.from({ length: count }, () => format)).slice(1);
  const compared = outputs.map(({ format }) => comparedKindOf(format)).find((kind) => kind !== null);
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
