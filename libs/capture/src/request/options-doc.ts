import { fieldsOf, type FieldSpec } from '@app/kernel';
import { aboutFormat, FORMAT_NAMES, FORMATS, formatsOf } from '../formats/index.js';
import { FAMILIES } from './capture-options.js';
import { EXPOSURE_RULES } from '../pipeline/exposure.js';
import { optionSpecsOf, type OptionSpec } from '../pipeline/option-fields.js';

/** The order of the hooks `prepare` to `settle` of all families, and of the steps of the engine between them. */
const ORDER = `## Order of work

1. The page opens and reaches \`wait_until\`. \`fail_on_status\` is checked here.
2. Elements are hidden that the filter lists of \`block_ads\` and the other \`block_*\` options name. The same lists block requests from the start of the navigation.
   \`block_cookie_banners\` answers or hides consent dialogs, for at most 2.5 seconds together with the second look in step 8. When
   an answer loads the page again, the capture waits for it.
3. \`css\`, \`hide_selectors\` and \`mask_selectors\` are applied. They also apply to elements that are added later.
4. \`js\` runs. Before it, or else before the click or the steps of step 5, \`block_annoyances\` closes what has come over the page: what opens
   later stays.
5. The capture waits for the element of \`click_selector\`, up to 10 seconds, and clicks it. Then the steps of
   \`actions\` or \`recording\` are done, one after the other. When \`js\`, the click or a step opens another page, that page loads
   and step 3 is repeated.
6. The waits: \`wait_until\` once more, if it is \`networkidle\` or \`auto\` and steps 2 to 5 acted on the page; then
   \`wait_for_selector\`, \`wait_for_function\` and \`delay_ms\`.
7. \`scroll_to_selector\` scrolls.
8. \`scroll\` scrolls through the page, for at most 8 seconds. Before and after it, what the lists name is hidden once more, consent
   dialogs that came since step 2 are removed, and \`block_annoyances\` closes what has come over the page by itself unless it
   has done so before step 4. It takes at most 3 seconds.
9. The page settles: requests that steps 2 to 8 caused end, for at most 5 seconds, and what \`animations\` says happens to what
   moves. If a request has not ended by then, or step 8 did not reach the end of the page, \`complete\` is false.
10. \`sticky\` detaches pinned elements.
11. \`fail_if_text\` and \`fail_if_text_missing\` are checked on the page as it is captured.
12. The page is judged by what is in it: as a bot wall, a log-in wall or an error page. \`fail_on_verdict\` is checked here, before
    the file is made.
13. \`metadata\` reads what the page says about itself.
14. The file is made in its \`format\`. A picture is taken again if a canvas or an SVG in the window is still being drawn, as soon
    as nothing moves and after at most 1.5 seconds, unless step 9 found that it never ends, or has stopped it. If a dialog that these options remove came in the meantime, it is removed, and
    the file is made once more.
15. The page is judged as blank when its picture has one colour that the page did not mean to show; a page without a picture, by
    what its window draws.
    \`fail_on_verdict\` is checked once more.
16. With \`outputs\`, step 14 is repeated for each of them. The page was loaded in the window of the capture or, if it states none, of
    the first output. The outputs of this window come first, then those of each other window, which the loaded page gets and in
    which its layout settles. In each window, PDFs are made last. \`scroll_to_selector\`, \`full_page\` and \`sticky\` are done
    for each output and undone after it.
17. \`compare_with\` compares the finished file with that of the earlier capture, outside the browser and for at most 45 seconds.
`;

/**
 * What a program that offers the options to people needs besides their schema, by option, for the schema of a request: the
 * family, the exposure, the default, and the formats when they are not all.
 */
export function optionExtensions(): Readonly<Record<string, Readonly<Record<string, unknown>>>> {
  const extensions = FAMILIES.flatMap(({ name, type }) => {
    const defaults = new type() as Record<string, unknown>;
    return optionSpecsOf(type).map(({ name: option, fallback, exposure }) => {
      const standard = defaults[option] ?? fallback;
      const formats = formatsOf(option);
      return [
        option,
        {
          'x-family': name,
          'x-exposure': exposure,
          ...(standard !== undefined && { 'x-default': standard }),
          ...(formats && { 'x-formats': formats }),
        },
      ] as const;
    });
  });
  return Object.fromEntries(extensions);
}

/** The families of the options in the order of the documentation, with what each is for. */
export function optionFamilies(): readonly { readonly name: string; readonly description: string }[] {
  return FAMILIES.map(({ name, doc }) => ({ name, description: doc }));
}

/** What programs that show files to people need to know of each format, in the order of the documentation. */
export function formatCatalogue() {
  return FORMAT_NAMES.map(aboutFormat).map(
    ({ name, label, kind, extension, otherExtensions = [], contentType, isLossy, isCompressed }) => ({
      name,
      label,
      kind,
      media_type: contentType,
      extension,
      other_extensions: otherExtensions,
      is_lossy: isLossy,
      is_compressed: isCompressed,
    }),
  );
}

/** Renders docs/options.md: every format, and every option by family. */
export function renderOptionsDoc(): string {
  const sections = FAMILIES.map(({ name, doc, type }) => {
    const defaults = new type() as Record<string, unknown>;
    const rows = optionSpecsOf(type).map((spec) => row(spec, defaults[spec.name] ?? spec.fallback));
    return `## ${name.charAt(0).toUpperCase()}${name.slice(1)}

${doc}

| option | type | default | formats | meaning | example | exposure |
|---|---|---|---|---|---|---|
${rows.join('\n')}
`;
  });
  return `# Options of a capture

Generated by \`npm run gen\` from libs/capture/src/options and libs/capture/src/formats. The names are the same in JSON, in the
header of a CSV and in the \`options\` of a record. Every option is optional, except that either \`url\` or \`html\` is required. An
option that has no meaning for the format is refused.

${ORDER}
${formatsDoc()}
${exposuresDoc()}
${sections.join('\n')}`;
}

function formatsDoc(): string {
  const rows = Object.values(FORMATS).map(
    ({ name, contentType, extension, doc }) =>
      `| \`${name}\` | \`${contentType}\` | \`.${extension}\` | ${doc} |`,
  );
  return `## Formats

| format | content type | extension | file |
|---|---|---|---|
${rows.join('\n')}
`;
}

/** Who may set the options of each exposure. */
function exposuresDoc(): string {
  const rows = Object.entries(EXPOSURE_RULES).map(
    ([exposure, { doc, inLinks, byModels }]) => `| \`${exposure}\` | ${doc} | ${inLinks} | ${byModels} |`,
  );
  return `## Exposure

Every option states who may set it. [Signed links](links.md) and the [tools of models](mcp.md) take only what their column allows; \`if permitted\` means
by a key for which the operator permits it (\`--mcp-unsafe\`).

| exposure | may be set by | in links | by models |
|---|---|---|---|
${rows.join('\n')}
`;
}

function row(spec: OptionSpec, standard: unknown): string {
  const cells = [
    `\`${spec.name}\``,
    typeOf(spec),
    standard === undefined ? '–' : code(standard),
    formatsOf(spec.name)?.join(', ') ?? 'all',
    `${spec.doc}${itemsDoc(spec)}`,
    spec.example === undefined ? '' : code(spec.example),
    spec.exposure,
  ];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
}

function code(value: unknown): string {
  const text = JSON.stringify(value);
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``;
}

interface Rule {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly enum?: readonly string[];
  readonly items?: Rule;
  readonly additionalProperties?: unknown;
}

function typeOf({ kind, schema, items, variants }: FieldSpec): string {
  const rule = schema as Rule;
  switch (kind) {
    case 'flag':
      return '`true` or `false`';
    case 'whole':
      return `whole number ${range(rule)}`;
    case 'decimal':
      return `number ${range(rule)}`;
    case 'choice':
      return words(rule);
    case 'text':
      return `text ≤ ${(rule.maxLength ?? 0).toLocaleString('en')} characters`;
    case 'list':
      return `list ≤ ${rule.maxItems ?? 0} of ${(items ?? variants) ? 'objects' : rule.items?.enum ? words(rule.items) : 'texts'}`;
    case 'map':
      return 'additionalProperties' in rule && rule.additionalProperties ? 'object of texts' : 'object';
    default:
      return kind satisfies never;
  }
}

function range({ minimum = 0, maximum = 0 }: Rule): string {
  return `${minimum.toLocaleString('en')} to ${maximum.toLocaleString('en')}`;
}

function words({ enum: values = [] }: Rule): string {
  return values.map((value) => `\`${value}\``).join(', ');
}

/** The fields of the objects of a list, for the cell of the list. */
function itemsDoc({ items, variants }: FieldSpec): string {
  if (variants)
    return ` Each has a \`type\`: ${Object.keys(variants)
      .map((type) => `\`${type}\``)
      .join(', ')}.`;
  if (!items) return '';
  const fields = fieldsOf(items).map((spec) => `\`${spec.name}\` (${typeOf(spec)}): ${spec.doc}`);
  return ` Each has ${fields.join(' ')}`;
}
