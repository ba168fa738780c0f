import { open, readdir, readFile, rm, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { CliError } from '../context/cli-error.js';
import { makeFolders, reasonOf, writeWhole } from '../files/file-writer.js';

/** Holds the id of the process that uses the folder, for a list or for a crawl. */
const LOCK_FILE = '.capture-batch.lock';

/** The temporary names of the client's downloads and of `writeWhole`. */
const PART = /^\.{1,2}(?:capture-|results\.).*\.part$/;

/** A state that cannot be read. */
export class UnreadableStateError extends Error {
  override readonly name = 'UnreadableStateError';
}

/** How a folder remembers what its files are of. */
export interface StateFormat<State> {
  /** The name of the state in its folder. */
  readonly file: string;
  /** @throws UnreadableStateError */
  readonly read: (text: string) => State;
  readonly write: (state: State) => string;
  /** What the flag --restart does. */
  readonly restart: string;
}

/** The folder of a list or of a crawl: its state, and the results. One process uses it at a time. */
export class WorkFolder<State> {
  private constructor(
    /** As the user wrote it. */
    readonly name: string,
    private readonly format: StateFormat<State>,
    private readonly wasCreated: boolean,
  ) {}

  /**
   * Creates the folder unless it exists, and locks it.
   *
   * @throws CliError that names the folder if it cannot be used
   */
  static async open<State>(name: string, format: StateFormat<State>): Promise<WorkFolder<State>> {
    try {
      const created = await makeFolders(name);
      const folder = new WorkFolder(name, format, created !== undefined);
      await folder.lock();
      return folder;
    } catch (error) {
      throw error instanceof CliError ? error : unusable(name, error);
    }
  }

  pathOf(relative: string): string {
    return path.join(this.name, relative);
  }

  /** @throws CliError if there is a state that cannot be read */
  async readState(): Promise<State | undefined> {
    const file = this.pathOf(this.format.file);
    try {
      return this.format.read(await readFile(file, 'utf8'));
    } catch (error) {
      if (isCode(error, 'ENOENT')) return undefined;
      if (!(error instanceof UnreadableStateError)) throw unusable(this.name, error);
      throw new CliError(
        `${file} cannot be read: ${error.message}. Choose another folder, or ${this.format.restart} with --restart.`,
      );
    }
  }

  /** Replaces the state as a whole: after a crash it is the old one or the new one. */
  async saveState(state: State): Promise<void> {
    await this.write(this.format.file, [this.format.write(state)]);
  }

  /**
   * Writes a file whole or not at all.
   *
   * @throws CliError that names the file
   */
  async write(relative: string, parts: Iterable<string>): Promise<void> {
    await writeWhole(this.pathOf(relative), encoded(parts));
  }

  async removeState(): Promise<void> {
    await rm(this.pathOf(this.format.file), { force: true });
  }

  /** Removes what downloads of a killed process have left behind. */
  async removeParts(): Promise<void> {
    for (const entry of await readdir(this.name, { recursive: true, withFileTypes: true })) {
      if (entry.isFile() && PART.test(entry.name))
        await rm(path.join(entry.parentPath, entry.name), { force: true });
    }
  }

  /** Unlocks the folder, and removes it if it was created for nothing. */
  async close(): Promise<void> {
    await rm(this.pathOf(LOCK_FILE), { force: true });
    // It fails unless the folder is empty.
    if (this.wasCreated) await rmdir(this.name).catch(() => undefined);
  }

  private async lock(): Promise<void> {
    const file = this.pathOf(LOCK_FILE);
    for (const isLast of [false, true]) {
      try {
        const handle = await open(file, 'wx');
        await handle.writeFile(`${process.pid}\n`);
        await handle.close();
        return;
      } catch (error) {
        if (!isCode(error, 'EEXIST')) throw error;
        const owner = Number.parseInt(await readFile(file, 'utf8').catch(() => ''), 10);
        // In a container, every process of this program may have the same id.
        if (isLast || (owner !== process.pid && isRunning(owner))) {
          throw new CliError(
            `${this.name} is used by another capture command (process ${owner}). Wait for it, or remove ${file} if there is none.`,
          );
        }
        // A process that was killed has left it.
        await rm(file, { force: true });
      }
    }
  }
}

async function* encoded(parts: Iterable<string>): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield Buffer.from(part);
}

function isRunning(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return isCode(error, 'EPERM');
  }
}

/** What creating a folder fails with, where the words for files would mislead. */
const REASONS: Readonly<Record<string, string>> = {
  EEXIST: 'it is a file, or a link to nothing',
  ENOENT: 'it cannot be created there',
};

function unusable(name: string, error: unknown): CliError {
  const { code = '' } = error as NodeJS.ErrnoException;
  return new CliError(`The folder ${name} cannot be used: ${REASONS[code] ?? reasonOf(error)}.`, {
    cause: error,
  });
}

function isCode(error: unknown, code: string): boolean {
  return (error as NodeJS.ErrnoException).code === code;
}
