import { fieldsOf, type FieldKind } from '@app/kernel';
import { Env, SUBJECTS, type Subject } from './env.js';
import { originOf, type SettingOrigin } from './load-env.js';

/** A value as the environment would state it; null for none, and for that of a secret. */
export type SettingValue = string | number | boolean | null;

/** A setting as it is in force in this process. */
export interface Setting {
  readonly name: string;
  readonly subject: Subject;
  readonly doc: string;
  readonly kind: FieldKind;
  readonly value: SettingValue;
  readonly default: SettingValue;
  readonly origin: SettingOrigin;
  readonly isSecret: boolean;
  /** Whether it has a value, also where the value is not shown. */
  readonly isSet: boolean;
}

/** The user name and the password in an address. */
const USER_INFO = /(?<=\/\/)[^\s/?#"]+@/g;

const DEFAULTS = new Env() as unknown as Readonly<Record<string, unknown>>;

/** Every setting with its value in force, its default and where it comes from, without secrets. */
export function describeSettings(env: Env): Setting[] {
  const values = env as unknown as Readonly<Record<string, unknown>>;
  return Object.entries(SUBJECTS).flatMap(([subject, type]) =>
    fieldsOf(type).map(({ name, doc, kind, secret }) => ({
      name,
      doc,
      kind,
      subject: subject as Subject,
      isSecret: secret,
      value: secret ? null : shown(values[name]),
      default: shown(DEFAULTS[name]),
      origin: originOf(env, name),
      isSet: values[name] !== undefined && values[name] !== '',
    })),
  );
}

function shown(value: unknown): SettingValue {
  if (value === undefined) return null;
  return typeof value === 'string' ? value.replace(USER_INFO, '***@') : (value as number | boolean);
}
