import { OPTION_CATALOGUE, type CatalogueOption } from '@capture-service/client';
import { Option, type Command } from 'commander';
import { flagOf } from './flag-names.js';
import { familyHeading, helpOf, shortHelpOf } from './option-help.js';
import { readerOf } from './option-values.js';

/** Options whose text is usually in a file: they have a second flag, such as `--html-file`. */
const TEXTS = new Set(['html', 'css', 'js', 'pdf_header_html', 'pdf_footer_html']);

/** Options with a second spelling for one value of several. */
const SINGULAR: Readonly<Record<string, string>> = { headers: '--header', cookies: '--cookie' };

/** What the help of a command says about the most used options; `capture options` shows all, in full. */
const ESSENTIAL: Readonly<Record<string, string>> = {
  format: 'format of the file',
  quality: 'quality of jpeg, webp and avif, 1 to 100',
  image_width: 'scale the picture down to this width',
  device: 'emulate a device, such as iphone-15-pro; see `capture devices`',
  viewport_width: 'width of the window in CSS px',
  viewport_height: 'height of the window in CSS px',
  device_scale_factor: 'px of the picture per CSS px',
  dark_mode: 'prefer a dark colour scheme',
  headers: 'send a request header; may be repeated',
  cookies: 'set a cookie; may be repeated',
  clean: 'without ads, trackers, chats, newsletters and consent dialogs',
  wait_until: 'the moment to wait for',
  delay_ms: 'wait so much longer',
  full_page: 'the full height of the page',
  selector: 'only the element that matches',
  cache_ttl_s: 'answer with a capture that is younger, without a visit and a charge',
  reference: 'your own tag for the capture',
};

const ESSENTIAL_HEADING = 'The most used options of a capture (`capture options` prints all):';

/** Adds a flag for every option of the catalogue but those named. */
export function addCaptureOptions(command: Command, except: readonly string[] = []): Command {
  for (const option of OPTION_CATALOGUE.filter(({ name }) => !except.includes(name))) {
    for (const flag of flagsOf(option)) {
      const short = flag.negate ? undefined : ESSENTIAL[option.name];
      if (short !== undefined) flag.description = shortHelpOf(option, short);
      command.addOption(
        flag.helpGroup(short === undefined ? familyHeading(option.family) : ESSENTIAL_HEADING),
      );
    }
  }
  return command;
}

/** The flag with its value, as a help text shows it. */
export function flagTerm(option: CatalogueOption): string {
  const [first] = flagsOf(option);
  if (option.schema.type === 'boolean') return flagOf(option.name).replace('--', '--[no-]');
  return `${first?.flags ?? ''}${TEXTS.has(option.name) ? `, ${flagOf(option.name)}-file <path>` : ''}`;
}

function flagsOf(option: CatalogueOption): Option[] {
  const { name, schema } = option;
  const flag = flagOf(name);
  const help = helpOf(option);
  if (schema.type === 'boolean') {
    return [new Option(flag, help), new Option(flag.replace('--', '--no-'), `The opposite of ${flag}.`)];
  }
  const names = SINGULAR[name] ? `${SINGULAR[name]}, ${flag}` : flag;
  const valued = new Option(`${names} <${placeholderOf(option)}>`, help).argParser(readerOf(option));
  if (schema.enum) valued.choices(schema.enum);
  if (!TEXTS.has(name)) return [valued];
  const fromFile = new Option(
    `${flag}-file <path>`,
    `The same from a file, or from standard input with \`-\`.`,
  );
  return [valued, fromFile];
}

const PLACEHOLDERS: Readonly<Record<string, string>> = {
  headers: 'name: value',
  cookies: 'name=value',
  device: 'id',
  outputs: 'json',
  block_urls: 'pattern',
  url: 'url',
  base_url: 'url',
  wait_for_function: 'js',
};

function placeholderOf({ name, schema }: CatalogueOption): string {
  const own = PLACEHOLDERS[name];
  if (own !== undefined) return own;
  if (/selectors?$/.test(name)) return 'css';
  if (schema.type === 'integer' || schema.type === 'number') return unitOf(name);
  return schema.type === 'array' || schema.enum ? (name.split('_').at(-1) ?? name) : 'text';
}

function unitOf(name: string): string {
  if (name.endsWith('_ms')) return 'ms';
  if (name.endsWith('_s')) return 's';
  if (/(width|height|padding|_x|_y)$/.test(name)) return 'px';
  return 'n';
}
