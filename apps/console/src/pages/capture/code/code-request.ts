import { FORMATS } from '../../../capture-record/files.js';
import { formatsOf, type Values } from '../form/options.js';

/** What the code asks for: a capture, or a signed link to one. */
export interface CodeRequest {
  /** The address of the service. */
  readonly baseUrl: string;
  readonly options: Values;
  /** How long a link is valid, in seconds; without it the code makes a capture. */
  readonly linkLifeS?: number | undefined;
}

export interface CodeFacts {
  readonly url: string;
  /** The body as it is sent. */
  readonly body: Values;
  /** The file to save the response in; a link is printed. */
  readonly file?: string | undefined;
}

/** The environment variable with the API key, as the command line reads it. */
export const KEY_VARIABLE = 'CAPTURE_API_KEY';

export function factsOf({ baseUrl, options, linkLifeS }: CodeRequest): CodeFacts {
  if (linkLifeS === undefined)
    return { url: `${baseUrl}/v1/capture`, body: options, file: `capture.${extensionOf(options)}` };
  return { url: `${baseUrl}/v1/links`, body: { ...options, expires_in_s: linkLifeS } };
}

/** Several outputs and slices are answered with the record, unless an archive is asked for. */
export function isRecord({ response, outputs, ...options }: Values): boolean {
  const all = Array.isArray(outputs) ? (outputs as Values[]) : [];
  const hasSeveral = all.length > 1 || [options, ...all].some((each) => each.slice_height !== undefined);
  return response === 'json' || (hasSeveral && response !== 'zip');
}

function extensionOf(options: Values): string {
  if (options.response === 'zip') return 'zip';
  if (isRecord(options)) return 'json';
  const [output] = Array.isArray(options.outputs) ? (options.outputs as { format?: string }[]) : [];
  const [format = ''] = formatsOf({ ...options, outputs: output && [output] });
  return FORMATS.get(String(format))?.extension ?? String(format);
}
