import {
  captureFacts,
  downloadFacts,
  isCaptureFile,
  isCsv,
  isMarkdown,
  isSitemap,
  isZip,
  type CaptureFile,
  type DownloadedFile,
  type FileCheck,
  type FileFacts,
  type Saved,
} from './answers.js';
import { SaveTarget } from './save-target.js';
import { bytesOf, type CallOptions, type Consumer, type Transport, type Wire } from './transport.js';

/** What a kind of file must look like, and what its headers say. */
interface FileKind<File extends DownloadedFile> {
  readonly check: FileCheck;
  readonly facts: (response: Response) => FileFacts<File>;
}

export const CAPTURE_FILE: FileKind<CaptureFile> = { check: isCaptureFile, facts: captureFacts };
export const CSV_FILE: FileKind<DownloadedFile> = { check: isCsv, facts: downloadFacts };
export const ZIP_FILE: FileKind<DownloadedFile> = { check: isZip, facts: downloadFacts };
export const MARKDOWN_FILE: FileKind<DownloadedFile> = { check: isMarkdown, facts: downloadFacts };
export const SITEMAP_FILE: FileKind<DownloadedFile> = { check: isSitemap, facts: downloadFacts };

/** The generated function returns nothing of the body, which has been read by then. */
interface FileWire extends Wire {
  readonly parseAs: 'stream';
}

/** A request whose answer is a file. */
export interface Download<File extends DownloadedFile> {
  readonly kind: FileKind<File>;
  /** Calls the generated function. */
  readonly run: (wire: FileWire) => Promise<{ readonly response: Response }>;
  /** Time limit, if nobody has set one. */
  readonly defaultTimeoutMs?: number;
}

/** Returns a file with its content in memory. */
export async function download<File extends DownloadedFile>(
  transport: Transport,
  { kind, run, defaultTimeoutMs }: Download<File>,
  call: CallOptions = {},
): Promise<FileFacts<File> & Pick<File, 'bytes'>> {
  let bytes = new Uint8Array();
  const consume: Consumer = async (response) => {
    kind.check(response);
    bytes = await bytesOf(response);
    return new Response(null, { status: response.status, headers: response.headers });
  };
  const wire = transport.wire({ call, consume, defaultTimeoutMs });
  const { response } = await run({ ...wire, parseAs: 'stream' });
  return { ...kind.facts(response), bytes };
}

/** Saves a file as it arrives, in constant memory. */
export async function downloadTo<File extends DownloadedFile>(
  transport: Transport,
  { kind, run, defaultTimeoutMs }: Download<File>,
  { path, call = {} }: { readonly path: string; readonly call: CallOptions | undefined },
): Promise<Saved<File>> {
  const target = await SaveTarget.open(path);
  const wire = transport.wire({ call, consume: target.consumer(kind.check), defaultTimeoutMs });
  const { response } = await run({ ...wire, parseAs: 'stream' });
  return { ...kind.facts(response), path, size: target.size };
}
