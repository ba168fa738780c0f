import {
  fromJsonSchema,
  type JsonSchemaType,
  type StandardSchemaWithJSON,
} from '@modelcontextprotocol/server';
import { Ajv } from '@modelcontextprotocol/server/validators/ajv';
import leven from 'leven';
import { gatherOptions, OFFERED, unknownOption, unsafeOption, type Properties } from './capture-arguments.js';
import type { ToolArguments } from './tool.js';

/** A name that differs by more is another word. */
const MAX_TYPOS = 3;
const MAX_FAULTS = 10;
const MAX_NAME = 100;

const UNSAFE_HELP =
  'runs code in the page or carries a secret, which this API key does not permit over MCP. Do without it, or ask the ' +
  'user to have the operator permit it: npm run keys -- set --key <key id> --mcp-unsafe';

const AJV = new Ajv({ strict: false, allErrors: true, validateSchema: false });

type Fault = NonNullable<ReturnType<typeof AJV.compile>['errors']>[number];

/** The arguments of a tool, with refusals that a model can act on: the validator of the library names no value that is valid. */
export function argumentSchema(
  schema: JsonSchemaType,
  mayUseUnsafe: boolean,
): StandardSchemaWithJSON<ToolArguments, ToolArguments> {
  return fromJsonSchema<ToolArguments>(schema, {
    getValidator: <T>(compiled: JsonSchemaType) => {
      const check = AJV.compile(compiled);
      return (input: unknown) => {
        const args = gatherOptions(input as ToolArguments, (compiled.properties ?? {}) as Properties);
        const refused = mayUseUnsafe ? undefined : unsafeOption(args);
        if (refused !== undefined) return refusal(`\`${refused}\` ${UNSAFE_HELP}.`);
        const unknown = unknownOption(args);
        if (unknown !== undefined) return refusal(`${unknownName(unknown, OFFERED)}.`);
        if (check(args)) return { valid: true, data: args as T, errorMessage: undefined };
        const faults = (check.errors ?? []).slice(0, MAX_FAULTS);
        return refusal(`${faults.map((fault) => explain(fault, compiled)).join('; ')}.`);
      };
    },
  });
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
  };
  if (keyword === 'required') return `\`${facts.missingProperty ?? ''}\` is missing`;
  if (keyword === 'additionalProperties') {
    const nested = schemaAt(schema, 'options').properties ?? {};
    const known = { ...schemaAt(schema, path).properties, ...(path === '' && nested) };
    return unknownName(facts.additionalProperty ?? '', Object.keys(known));
  }
  if (keyword === 'enum') return `\`${path}\` must be one of ${(facts.allowedValues ?? []).join(', ')}`;
  return `\`${path}\` ${message ?? 'is not valid'}`;
}

function schemaAt(schema: JsonSchemaType, path: string): JsonSchemaType {
  return path
    .split('.')
    .filter(Boolean)
    .reduce<JsonSchemaType>((at, name) => (at.properties as Properties | undefined)?.[name] ?? {}, schema);
}

function unknownName(name: string, known: readonly string[]): string {
  const nearest = known
    .map((each) => ({ each, typos: leven(each, name) }))
    .filter(({ typos }) => typos <= MAX_TYPOS)
    .sort((a, b) => a.typos - b.typos)[0]?.each;
  const hint = nearest === undefined ? `there are ${known.join(', ')}` : `did you mean \`${nearest}\`?`;
  return `\`${name.slice(0, MAX_NAME)}\` is not an argument (${hint})`;
}
