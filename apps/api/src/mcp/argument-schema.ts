import {
  fromJsonSchema,
  type JsonSchemaType,
  type StandardSchemaWithJSON,
} from '@modelcontextprotocol/server';
import { Ajv } from '@modelcontextprotocol/server/validators/ajv';
import { nearestName } from '@app/kernel';
import { gatherOptions, OFFERED, unknownOption, unsafeOption, type Properties } from './capture-arguments.js';
import { ID_PATTERN } from './resources.js';
import type { ToolArguments } from './tool.js';

const MAX_FAULTS = 10;
const MAX_NAME = 100;

const UNSAFE_HELP =
  'runs code, acts on the page, loads something from elsewhere or carries a secret, which this API key does not permit over MCP. Do without it, or ask the ' +
  'user to have the operator permit it: npm run keys -- set --key <key id> --mcp-unsafe';

/** More than there are options. */
const MAX_ARGUMENTS = 200;

/** All faults of longer arguments could be millions, which would take the memory of the process. */
const MAX_EXPLAINED = 20_000;

const AJV = new Ajv({ strict: false, validateSchema: false });
const AJV_ALL = new Ajv({ strict: false, validateSchema: false, allErrors: true });

type Fault = NonNullable<ReturnType<typeof AJV.compile>['errors']>[number];

/**
 * The arguments of a tool, with refusals that a model can act on: the validator of the library names no value that is valid.
 * Clients see a shorter schema than the one that is checked, because each conversation of a model pays for the list of tools.
 */
export function argumentSchema(
  schema: JsonSchemaType,
  mayUseUnsafe: boolean,
): StandardSchemaWithJSON<ToolArguments, ToolArguments> {
  const check = AJV.compile(schema);
  const checkAll = AJV_ALL.compile(schema);
  const getValidator =
    <T>() =>
    (input: unknown) => {
      const { options } = input as ToolArguments;
      if ([input, options].some(isHuge)) return refusal(`A call has at most ${MAX_ARGUMENTS} arguments.`);
      const args = gatherOptions(input as ToolArguments, propertiesAt(schema));
      const refused = mayUseUnsafe ? undefined : unsafeOption(args);
      if (refused !== undefined) return refusal(`\`${refused}\` ${UNSAFE_HELP}.`);
      const unknown = unknownOption(args);
      if (unknown !== undefined) return refusal(`${unknownName(unknown, OFFERED)}.`);
      if (check(args)) return { valid: true as const, data: args as T, errorMessage: undefined };
      const isShort = JSON.stringify(args).length <= MAX_EXPLAINED;
      const { errors } = isShort && !checkAll(args) ? checkAll : check;
      const faults = (errors ?? []).slice(0, MAX_FAULTS);
      return refusal(`${faults.map((fault) => explain(fault, schema)).join('; ')}.`);
    };
  return fromJsonSchema<ToolArguments>(listed(schema), { getValidator });
}

/** The schema that clients see: of the options in `options` it has the types, and of no text the length. */
function listed(schema: JsonSchemaType): JsonSchemaType {
  const nested = propertiesAt(schema, 'options');
  const options = {
    ...schemaAt(schema, 'options'),
    ...(Object.keys(nested).length > 0 && { properties: each(nested, typeOf) }),
  };
  const properties = each(propertiesAt(schema), ({ minLength: _min, maxLength: _max, ...rest }) => rest);
  return { ...schema, properties: { ...properties, ...('options' in properties && { options }) } };
}

function each(properties: Properties, change: (property: JsonSchemaType) => JsonSchemaType): Properties {
  return Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, change(property)]));
}

function typeOf({ type, enum: values, items }: JsonSchemaType): JsonSchemaType {
  return {
    ...(type !== undefined && { type }),
    ...(values !== undefined && { enum: values }),
    ...(items !== undefined && { items: typeOf(items as JsonSchemaType) }),
  };
}

function isHuge(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length > MAX_ARGUMENTS;
}

function refusal(errorMessage: string) {
  return { valid: false as const, data: undefined, errorMessage };
}

function explain({ keyword, instancePath, params, message }: Fault, schema: JsonSchemaType): string {
  const path = instancePath.slice(1).replaceAll('/', '.');
  const facts = params as {
    missingProperty?: string;
    additionalProperty?: string;
    allowedValues?: unknown[];
    pattern?: string;
  };
  if (keyword === 'required') return `\`${facts.missingProperty ?? ''}\` is missing`;
  if (keyword === 'additionalProperties') {
    const known = Object.keys(propertiesAt(schema, path));
    return unknownName(facts.additionalProperty ?? '', path === '' ? [...known, ...OFFERED] : known);
  }
  if (facts.pattern === ID_PATTERN) return `\`${path}\` is not an id, such as a tool returns it`;
  if (keyword === 'enum') return `\`${path}\` must be one of ${(facts.allowedValues ?? []).join(', ')}`;
  return `\`${path}\` ${message ?? 'is not valid'}`;
}

function schemaAt(schema: JsonSchemaType, path: string): JsonSchemaType {
  return path
    .split('.')
    .filter(Boolean)
    .reduce<JsonSchemaType>((at, name) => (at.properties as Properties | undefined)?.[name] ?? {}, schema);
}

function propertiesAt(schema: JsonSchemaType, path = ''): Properties {
  return (schemaAt(schema, path).properties ?? {}) as Properties;
}

function unknownName(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  const hint = nearest === undefined ? `there are ${known.join(', ')}` : `did you mean \`${nearest}\`?`;
  return `\`${name.slice(0, MAX_NAME)}\` is not an argument (${hint})`;
}
