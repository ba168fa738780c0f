import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { ConfigModule, type Env } from '@app/config';
import { Storage, StorageModule } from '@app/storage';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

export interface CopiedFiles {
  readonly files: number;
  readonly bytes: number;
}

const AT_ONCE = 8;
/** Files that a process was writing when it died. */
const INCOMPLETE = 'incoming';

@Module({})
class ExportModule {}

/** Copies all captured files of a folder into the store of an environment. A file that is there already is replaced. */
export async function copyFiles(folder: string, target: Env): Promise<CopiedFiles> {
  const app = await NestFactory.createApplicationContext(
    { module: ExportModule, imports: [ConfigModule.forEnvironment(target), StorageModule] },
    { logger: false, abortOnError: false },
  );
  try {
    const storage = app.get(Storage, { strict: false });
    await storage.check();
    const keys = await keysIn(folder);
    let bytes = 0;
    const copyNext = async (): Promise<void> => {
      for (let key = keys.next(); !key.done; key = keys.next()) {
        const content = await readFile(path.join(folder, key.value));
        await storage.put(key.value, content);
        bytes += content.byteLength;
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, copyNext));
    return { files: keys.length, bytes };
  } finally {
    await app.close();
  }
}

/** The keys of all files: `<kind>/<uuid>/<name>`. */
async function keysIn(folder: string): Promise<Iterator<string> & { readonly length: number }> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const keys = entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).split(path.sep).join('/'))
    .filter((key) => !key.startsWith(`${INCOMPLETE}/`));
  return Object.assign(keys.values(), { length: keys.length });
}
