import type { DefaultFormat } from './generated/format-catalogue.js';
import type { FormatOptions } from './generated/option-catalogue.js';
import type { CaptureOptions as AllOptions, LinkRequest } from './generated/openapi/index.js';

/** The format of a file. */
export type CaptureFormat = NonNullable<AllOptions['format']>;

/** Every option of a capture, whatever it applies to: for programs that read options from elsewhere. */
export type CaptureOptionFields = AllOptions;

/** Options may be undefined as well, which `exactOptionalPropertyTypes` distinguishes; they are not sent. */
type OrUndefined<O> = { [Name in keyof O]: O[Name] | undefined };

type Fields = OrUndefined<AllOptions>;

/** The options that apply to some formats only. */
type LimitedName = FormatOptions[CaptureFormat];

/** The options that an output may have of its own, besides those of its format. */
type WindowName =
  | 'device'
  | 'viewport_width'
  | 'viewport_height'
  | 'device_scale_factor'
  | 'mobile'
  | 'touch'
  | 'landscape'
  | 'scroll'
  | 'scroll_to_selector';

/** `format` is required where it is not the default. */
type FormatField<F extends CaptureFormat> = F extends DefaultFormat
  ? { format?: F | undefined }
  : { format: F };

type OfFormat<O, F extends CaptureFormat> = FormatField<F> &
  Pick<O, FormatOptions[F] & keyof O> & { [Name in Exclude<LimitedName, FormatOptions[F]>]?: never };

/** A format that is known only at run time, without options that apply to some formats only. */
type SomeFormat = { format: CaptureFormat } & { [Name in LimitedName]?: never };

/** One member for each format, so that the compiler refuses `pdf_paper` for a picture. */
type ByFormat<O> = { [F in CaptureFormat]: OfFormat<O, F> }[CaptureFormat] | SomeFormat;

type WithFormat = ByFormat<Fields>;

/** An output without a format has that of the capture, which is not known here: it takes the options of any format. */
type AnyFormat = { format?: undefined } & Pick<Fields, LimitedName>;

/** One of several files of a capture; see docs/outputs.md. */
export type CaptureOutput = {
  /** Lower-case letters, digits and hyphens; `diff` is reserved. */
  name: string;
} & Pick<Fields, WindowName> &
  (WithFormat | AnyFormat);

/** One of the steps before the picture; see docs/actions.md. */
export type CaptureAction = NonNullable<AllOptions['actions']>[number];

type Target =
  | {
      /** URL of the page, `http` or `https`, without a user name or password. */
      url: string;
      html?: undefined;
      base_url?: undefined;
    }
  | {
      /** HTML to capture instead of a `url`, at most 1 MB. */
      html: string;
      /** URL against which relative URLs of `html` are resolved. */
      base_url?: string | undefined;
      url?: undefined;
    };

type CommonOptions = Omit<
  Fields,
  LimitedName | 'url' | 'html' | 'base_url' | 'format' | 'outputs' | 'response'
>;

/** Without `outputs`, there is one file of one format. */
type OneFile = { outputs?: undefined } & WithFormat;

/** The outputs inherit options of the capture, each those of its format. */
type SeveralFiles = { outputs: CaptureOutput[]; format?: CaptureFormat | undefined } & Pick<
  Fields,
  LimitedName
>;

interface ResponseField {
  /** What `capture` returns: the file, the record of the capture, or an archive of all its files. */
  response?: 'file' | 'json' | 'zip' | undefined;
}

/**
 * The options of a capture: exactly one of `url` and `html`, and the options of the `format`, which is `png` if it is not
 * stated. The service validates values; see docs/options.md.
 */
export type CaptureOptions = Target & CommonOptions & ResponseField & (OneFile | SeveralFiles);

/** Options whose answer is one file: that of one output, or the archive of several or of slices. */
export type FileCaptureOptions =
  | (Target & CommonOptions & OneFile & { slice_height?: undefined; response?: 'file' | 'zip' | undefined })
  | (CaptureOptions & { response: 'zip' });

/** Options whose answer is the record of the capture. */
export type RecordCaptureOptions =
  | (CaptureOptions & { response: 'json' })
  | (Target & CommonOptions & OneFile & { slice_height: number; response?: 'file' | 'json' | undefined })
  | (Target & CommonOptions & SeveralFiles & { response?: 'file' | 'json' | undefined });

/** The options of a job. */
export type JobOptions = CaptureOptions & {
  /** URL that receives a signed POST at the end (Standard Webhooks 1.0). */
  webhook_url?: string | undefined;
};

type LinkFields = OrUndefined<Omit<LinkRequest, 'expires_in_s' | 'on_error' | 'url'>>;

/** The options of a signed link: those of a capture of a `url` as one file, without secrets and scripts. */
export type LinkOptions = { url: string } & Omit<LinkFields, LimitedName | 'format'> & ByFormat<LinkFields>;
