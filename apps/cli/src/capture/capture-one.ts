import type {
  CallOptions,
  CaptureClient,
  CaptureFile,
  CaptureOptions,
  CaptureRecord,
  FileCaptureOptions,
} from '@capture-service/client';
import type { CliContext } from '../context/cli-context.js';
import { CliError } from '../context/cli-error.js';
import { destinationOf, destinationOfSlice, optionsOfExtension, type Destination } from './destination.js';
import type { GivenOptions } from '../options/given-options.js';
import { withTarget } from '../options/page-options.js';
import { printRecord, write } from '../terminal/output.js';
import { deliver, savedText, type Delivered } from './deliver.js';
import { watched } from './capture-progress.js';
import { pictureCodes, requiredProtocol, shows, type PictureProtocol } from '../terminal/pictures.js';
import type { Target } from '../options/target.js';

/** A capture of one page. */
export interface CaptureRequest {
  readonly target: Target | undefined;
  readonly options: GivenOptions;
  /** `-o`. */
  readonly output: string | undefined;
  readonly show: boolean;
}

interface Plan {
  readonly options: GivenOptions;
  /** Undefined when no file is kept. */
  readonly destination: Destination | undefined;
  readonly protocol: PictureProtocol | undefined;
  /** Whether the service answers with the record, and files are fetched after it. */
  readonly wantsRecord: boolean;
}

/** Captures one page and saves, prints or shows its files. */
export async function captureOne(context: CliContext, request: CaptureRequest): Promise<void> {
  const plan = await planOf(context, request);
  const client = context.client();
  const watch = { client, text: `capturing ${nameOf(request)}` };
  const { record, files } = await watched(context, watch, (call) => captured(client, plan, call));
  const delivered: Delivered[] = [];
  for (const { file, slice } of files) {
    const { destination } = plan;
    if (destination) {
      const own = slice === undefined ? destination : destinationOfSlice(destination, slice);
      delivered.push(await deliver(context, own, file));
    }
    if (plan.protocol) await show(context, plan.protocol, file);
  }
  const paths = delivered.filter(({ path }) => path !== undefined);
  if (record && context.json) {
    const saved = paths.map(({ path }) => path);
    await printRecord(context, saved.length > 0 ? { ...record, saved_to: saved } : record, () => '');
  } else for (const file of paths) await write(context, `${savedText(context, file)}\n`);
}

function nameOf({ target, options }: CaptureRequest): string {
  if (target?.kind === 'url') return target.url;
  return target?.file ?? (typeof options.url === 'string' ? options.url : 'the page');
}

async function planOf(
  context: CliContext,
  { target, options, output, show: isShown }: CaptureRequest,
): Promise<Plan> {
  const page = await withTarget(context, options, target);
  const isKept = output !== undefined || (!context.json && !isShown);
  const destination = isKept ? await destinationOf(output) : undefined;
  const extension = destination?.kind === 'file' ? optionsOfExtension(destination.file, options) : {};
  const all: GivenOptions = { ...extension, ...page };
  const plan: Plan = {
    options: all,
    destination,
    protocol: isShown ? requiredProtocol(context.env, context.isTTY) : undefined,
    wantsRecord: context.json || (hasSeveralFiles(all) && all.response !== 'zip'),
  };
  checkPlan(context, plan);
  return plan;
}

function checkPlan(context: CliContext, { options, destination, wantsRecord }: Plan): void {
  if (destination?.kind === 'stdout' && context.json) {
    throw new CliError('--json and -o - both write to standard output. Choose one.');
  }
  const isOne = destination?.kind === 'stdout' || destination?.kind === 'file';
  if (wantsRecord && options.outputs !== undefined && isOne && (options.outputs as unknown[]).length > 1) {
    throw new CliError(
      'Several outputs are several files: -o takes a folder, such as files/, or an archive, such as all.zip.',
    );
  }
  if (destination?.kind === 'stdout' && options.slice_height !== undefined && options.response !== 'zip') {
    throw new CliError(
      'Slices are several files: -o takes a name, such as page.png for page-001.png, or a folder.',
    );
  }
}

function hasSeveralFiles({ outputs, slice_height: height }: GivenOptions): boolean {
  return outputs !== undefined || height !== undefined;
}

interface NamedFile {
  readonly file: CaptureFile;
  /** The name of a slice. */
  readonly slice?: string | undefined;
}

interface Captured {
  readonly record?: CaptureRecord;
  readonly files: readonly NamedFile[];
}

async function captured(
  client: CaptureClient,
  { options, destination, protocol, wantsRecord }: Plan,
  call: CallOptions,
): Promise<Captured> {
  // The service checks the options.
  const typed = options as unknown as CaptureOptions;
  if (!wantsRecord) return { files: [{ file: await client.capture(typed as FileCaptureOptions, call) }] };
  const record = await client.capture({ ...typed, response: 'json' }, call);
  const files: NamedFile[] = [];
  if (destination || protocol) {
    for (const { name, offset_y: top } of record.files) {
      const file = await client.captures.file(record.id, name, call);
      files.push({ file, slice: top === null ? undefined : name });
    }
  }
  return { record, files };
}

async function show(context: CliContext, protocol: PictureProtocol, file: CaptureFile): Promise<void> {
  if (shows(protocol, file.contentType)) await write(context, pictureCodes(protocol, file.bytes));
  else context.stderr.write(`${file.filename} is ${file.contentType}, which this terminal does not show.\n`);
}
