import { OPTION_CATALOGUE, type CatalogueOption } from '@capture-service/client';
import { Option, type Command } from 'commander';
import { flagOf } from './flag-names.js';
import { familyHeading, helpOf } from './option-help.js';
import { readerOf } from './option-values.js';

/** Options whose text is usually in a file: they have a second flag, such as `--html-file`. */
const TEXTS = new Set(['html', 'css', 'js', 'pdf_header_html', 'pdf_footer_html']);

/** Options with a second spelling for one value of several. */
const SINGULAR: Readonly<Record<string, string>> = { headers: '--header', cookies: '--cookie' };

/** The most used options. The help of a command shows these; `capture options` shows all. */
const ESSENTIAL = new Set([
  'format',
  'full_page',
  'selector',
  'device',
  'viewport_width',
  'viewport_height',
  'device_scale_factor',
  'dark_mode',
  'clean',
  'wait_until',
  'delay_ms',
  'headers',
  'cookies',
  'quality',
  'image_width',
  'cache_ttl_s',
  'reference',
]);

const ESSENTIAL_HEADING = 'The most used options of a capture (`capture options` prints all):';

/** Adds a flag for every option of the catalogue but those named. */
export function addCaptureOptions(command: Command, except: readonly string[] = []): Command {
  for (const option of OPTION_CATALOGUE.filter(({ name }) => !except.includes(name))) {
    for (const flag of flagsOf(option)) {
      const isEssential = ESSENTIAL.has(option.name) && !flag.negate;
      command.addOption(flag.helpGroup(isEssential ? ESSENTIAL_HEADING : familyHeading(option.family)));
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
