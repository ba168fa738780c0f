import type { Env } from '@app/config';
import { StartupError } from '@app/kernel';

/** The bucket and its credentials. */
export interface S3Settings {
  readonly bucket: string;
  readonly region: string;
  /** The URL of an S3-compatible store; undefined: AWS. */
  readonly endpoint?: string;
  /** Undefined: the SDK looks for credentials itself (role, profile, environment). */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

/**
 * The settings of S3, or undefined when the files are on disk.
 *
 * @throws StartupError when only half of the credentials is set: the SDK would silently look for others
 */
export function s3SettingsOf(env: Env): S3Settings | undefined {
  const { S3_BUCKET: bucket, S3_REGION: region, S3_ENDPOINT: endpoint } = env;
  const { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = env;
  if (bucket === undefined) return undefined;
  if (accessKeyId === undefined && secretAccessKey === undefined) return { bucket, region, endpoint };
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    throw new StartupError(
      'S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY belong together: set both, or neither to let the AWS SDK look for credentials.',
    );
  }
  return { bucket, region, endpoint, credentials: { accessKeyId, secretAccessKey } };
}
