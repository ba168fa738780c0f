import { Text, Whole } from '@app/kernel';

/** Where the service keeps its data: database, queue, files, and the key of its secrets. */
export class DataEnv {
  @Text(
    'PostgreSQL connection URL; `?connect_timeout=` sets the seconds to connect (5). Unset: `npm start` runs its own PostgreSQL in DATA_DIR.',
    {
      max: 2_000,
      pattern: /^postgres(ql)?:\/\//,
      message: 'must be a URL such as postgres://user:password@host:5432/database',
      secret: true,
      example: 'postgres://capture:secret@localhost:5432/capture',
    },
  )
  DATABASE_URL?: string;

  // With fewer a worker would deadlock: its upkeep holds two connections for locks and needs others for its work.
  @Whole('Maximum number of PostgreSQL connections in the pool of one process.', { min: 4, max: 100 })
  DATABASE_POOL_SIZE = 10;

  @Text('Redis connection URL. Set: the queue is in Redis. Unset: the queue is in PostgreSQL.', {
    max: 2_000,
    pattern: /^rediss?:\/\//,
    message: 'must be a URL such as redis://user:password@host:6379/0',
    secret: true,
    example: 'redis://localhost:6379/0',
  })
  REDIS_URL?: string;

  @Text(
    'Folder of all data of `npm start`: database, files, keys and installation logs. If it exists, running browsers keep ' +
      'their profiles in it, unless its path is too long or they cannot access it.',
    { max: 1_000 },
  )
  DATA_DIR = '.data';

  @Text('Folder of the captured files, shared by API and workers. Unset: `files` in DATA_DIR.', {
    max: 1_000,
  })
  FILES_DIR?: string;

  @Text('S3 bucket for the captured files. Unset: the files are in FILES_DIR.', { max: 63 })
  S3_BUCKET?: string;

  @Text('Region of the S3 bucket.', { max: 64 })
  S3_REGION = 'us-east-1';

  @Text('URL of an S3-compatible store. Unset: AWS.', {
    max: 2_000,
    pattern: /^https?:\/\//,
    message: 'must be a URL such as https://s3.example.com',
    example: 'https://s3.example.com',
  })
  S3_ENDPOINT?: string;

  @Text(
    'Access key ID for the bucket. Unset: the AWS SDK looks for credentials (role, profile, environment).',
    { max: 200 },
  )
  S3_ACCESS_KEY_ID?: string;

  @Text('Secret access key for the bucket.', { max: 200, secret: true })
  S3_SECRET_ACCESS_KEY?: string;

  @Text(
    'Key that encrypts headers, cookies and passwords of captures at rest: 32 bytes in base64. ' +
      '`npm start` creates one in DATA_DIR. To create one: `openssl rand -base64 32`.',
    {
      max: 44,
      pattern: /^[A-Za-z0-9+/]{43}=$/,
      message: 'must be 32 bytes in base64 (openssl rand -base64 32)',
      secret: true,
    },
  )
  SECRETS_KEY?: string;
}
