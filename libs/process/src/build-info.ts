import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The version and its build; null for what the build did not record. */
export interface BuildInfo {
  readonly version: string;
  readonly commit: string | null;
  readonly built_at: string | null;
}

/** Reads `version` from package.json, and `commit` and `built_at` from dist/build-info.json, which the build writes. */
export function readBuildInfo(from: string): BuildInfo {
  const { version } = readJson(findAbove(from, 'package.json')) as { version: string };
  const built = readJson(findAbove(from, 'build-info.json')) as Partial<BuildInfo>;
  return { version, commit: built.commit ?? null, built_at: built.built_at ?? null };
}

function readJson(file: string | undefined): unknown {
  return file === undefined ? {} : JSON.parse(readFileSync(file, 'utf8'));
}

function findAbove(folder: string, name: string): string | undefined {
  const file = join(folder, name);
  if (existsSync(file)) return file;
  const parent = dirname(folder);
  return parent === folder ? undefined : findAbove(parent, name);
}
