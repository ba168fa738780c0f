import type { FieldError } from '@capture-service/client';
import { OPTIONS, type Values } from './options.js';
import { schemaFault } from './schema-fault.js';

/** What is wrong, by the name of the option. */
export type Faults = ReadonlyMap<string, string>;

/** What the API document says against the options, before they are sent. */
export function faultsOf(values: Values): Faults {
  const faults = new Map<string, string>();
  for (const [name, value] of Object.entries(values)) {
    const option = OPTIONS.get(name);
    const fault = option && schemaFault(option.schema, value);
    if (fault !== undefined) faults.set(name, fault);
  }
  return faults;
}

/** The faults of a problem document by the option that they belong to; a fault within an option names the part. */
export function faultsByOption(errors: readonly FieldError[]): Faults {
  const faults = new Map<string, string>();
  for (const { pointer, detail } of errors) {
    const [name = '', ...parts] = pointer.split('/').slice(1).map(unescape);
    if (!OPTIONS.has(name)) continue;
    const fault = parts.length === 0 ? detail : `${partOf(parts)} ${detail}`;
    faults.set(name, faults.has(name) ? `${faults.get(name)}; ${fault}` : fault);
  }
  return faults;
}

/** The faults of options that still have the value that was refused. */
export function faultsThatHold(faults: Faults, refused: Values, values: Values): Faults {
  const holds = (name: string) => JSON.stringify(refused[name]) === JSON.stringify(values[name]);
  return new Map([...faults].filter(([name]) => holds(name)));
}

/** The name of the first option with a fault, in the order of the form. */
export function firstOf(faults: Faults): string | undefined {
  return [...OPTIONS.keys()].find((name) => faults.has(name));
}

/** RFC 6901. */
function unescape(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** `/outputs/0/format` is entry 1, format. */
function partOf(parts: readonly string[]): string {
  return parts.map((part) => (/^\d+$/.test(part) ? `entry ${Number(part) + 1}` : part)).join(', ');
}
