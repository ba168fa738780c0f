import type { Env } from '@app/config';
import { StartupError } from '@app/kernel';

/** Where the bucket is, and with which key it is opened. */
export interface S3Settings {
  readonly bucket: string;
  readonly region: string;
  /** Of an S3-compatible store; undefined: AWS. */
  readonly endpoint?: string;
  /** Undefined: what the SDK finds by itself (role, profile, environment). */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

/**
 * Undefined: the files are not in S3.
 *
 * @throws StartupError when half of the credentials is set: the SDK would silently look for others.
 */
export function s3SettingsOf(env: Env): S3Settings | undefined {
  const { S3_BUCKET: bucket, S3_REGION: region, S3_ENDPOINT: endpoint } = env;
  const { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = env;
  if (bucket === undefined) return undefined;
  if (accessKeyId === undefined && secretAccessKey === undefined) return { bucket, region, endpoint };
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    throw new StartupError(
      'S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY belong together: set both, or neither to use what the AWS SDK finds.',
    );
  }
  return { bucket, region, endpoint, credentials: { accessKeyId, secretAccessKey } };
}
