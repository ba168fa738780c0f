import type { WorkerRegistryService } from '@app/jobs';
import { readBuildInfo } from '@app/process';
import type { ServiceVersion } from './version.response.js';

const BUILD = readBuildInfo(import.meta.dirname);

/** The versions of this process, and of the first of the workers. */
export function describeVersion([worker]: Awaited<
  ReturnType<WorkerRegistryService['list']>
>): ServiceVersion {
  const { browser = null, filterLists = null } = worker ?? {};
  return {
    api_version: 'v1',
    ...BUILD,
    node: process.version,
    browser,
    filter_lists: filterLists && [...filterLists],
  };
}
