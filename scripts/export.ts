import 'reflect-metadata';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { loadEnv, type Env } from '@app/config';
import { isStarted, start, UsageError } from './cli/command.js';
import { copyFiles } from './export/copy-files.js';
import { copyRows, prepareTarget } from './export/copy-rows.js';

const HELP = `Usage: npm run export -- --to postgres://user:password@host:5432/database [options]

Copies everything to a database of your own, which must be empty: accounts, keys, the history, waiting jobs, webhooks. Stop the
service first. The source is that of \`npm start\` (DATA_DIR), or DATABASE_URL if it is set. It is only read.

  --files FOLDER    copy the captured files to this folder
  --bucket NAME     copy them to this S3 bucket; S3_REGION, S3_ENDPOINT and the keys of S3 are read from the environment
  --no-files        copy none, because they stay where they are
`;

/** Runs the command of these arguments on DATABASE_URL of the environment, and returns what to print. */
export async function runExport(args: string[], environment = process.env): Promise<string> {
  const { values } = parseArgs({
    args,
    options: {
      to: { type: 'string' },
      files: { type: 'string' },
      bucket: { type: 'string' },
      'no-files': { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return HELP;
  const env = loadEnv(environment);
  const target = targetOf(values.to, environment);
  const store = storeOf(values, environment);
  const databases = { source: env.DATABASE_URL ?? '', target };
  await prepareTarget(databases);
  // Before the rows: an export that fails between them can be repeated.
  const copied =
    store && (await copyFiles(path.resolve(env.FILES_DIR ?? path.join(env.DATA_DIR, 'files')), store));
  const { tables, rows } = await copyRows(databases);
  return [
    `copied ${count(rows)} rows of ${tables} tables`,
    ...(copied ? [`copied ${count(copied.files)} files (${count(Math.ceil(copied.bytes / 1e6))} MB)`] : []),
    `Start API and worker with this DATABASE_URL${store ? `, ${settingOf(store)}` : ''} and the same SECRETS_KEY (of \`npm start\`: the file secrets-key in DATA_DIR).\n`,
  ].join('\n');
}

const count = (number: number) => number.toLocaleString('en');

function targetOf(url: string | undefined, environment: NodeJS.ProcessEnv): string {
  if (url === undefined) throw new UsageError('--to is missing (--help explains it)');
  const { DATABASE_URL: target = '' } = loadEnv({ DATABASE_URL: url });
  if (target === environment.DATABASE_URL) throw new UsageError('--to is the source itself');
  return target;
}

/** The environment of the store for the files; undefined when none are copied. */
function storeOf(
  { files, bucket, 'no-files': none }: { files?: string; bucket?: string; 'no-files': boolean },
  environment: NodeJS.ProcessEnv,
): Env | undefined {
  if ([files !== undefined, bucket !== undefined, none].filter(Boolean).length !== 1)
    throw new UsageError('Say where the captured files go: one of --files, --bucket and --no-files');
  if (none) return undefined;
  if (environment.S3_BUCKET) throw new UsageError('The files are in S3 already: use --no-files');
  if (files !== undefined) return loadEnv({ FILES_DIR: path.resolve(files) });
  return loadEnv({ ...environment, S3_BUCKET: bucket });
}

const settingOf = ({ S3_BUCKET, FILES_DIR }: Env) =>
  S3_BUCKET === undefined ? `FILES_DIR=${FILES_DIR}` : `S3_BUCKET=${S3_BUCKET}`;

if (isStarted(import.meta.url)) await start(runExport);
