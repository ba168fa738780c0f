import { ApiProperty } from '@nestjs/swagger';
import {
  describeSettings,
  SETTING_ORIGINS,
  SUBJECTS,
  type Env,
  type Setting,
  type SettingOrigin,
  type SettingValue,
  type Subject,
} from '@app/config';
import { propertyOf } from '../openapi/schemas.js';

const KINDS = ['flag', 'whole', 'decimal', 'choice', 'text'] as const;

const value = (description: string) =>
  propertyOf({
    oneOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }, { type: 'null' }],
    description,
  });

export class SettingRecord {
  @ApiProperty({ type: 'string', description: 'The variable.', example: 'RESULT_TTL_S' })
  name!: string;

  @ApiProperty({ enum: Object.keys(SUBJECTS) })
  subject!: Subject;

  @ApiProperty({ type: 'string', description: 'What it means.' })
  description!: string;

  @ApiProperty({ enum: KINDS })
  kind!: Setting['kind'];

  @ApiProperty(
    value(
      'The value in force; null for none, and for that of a secret. Passwords in addresses are left out.',
    ),
  )
  value!: SettingValue;

  @ApiProperty(value('The value that it has when it is not set; null for none.'))
  default!: SettingValue;

  @ApiProperty({
    enum: SETTING_ORIGINS,
    description:
      'Where the value comes from. `file`: `.env`, as `npm start` reads it. `variable`: the environment of the process, which `npm start` sets, too.',
  })
  origin!: SettingOrigin;

  @ApiProperty({ type: 'boolean', description: 'Whether its value is a secret, which nothing shows.' })
  secret!: boolean;

  @ApiProperty({ type: 'boolean', description: 'Whether it has a value.' })
  is_set!: boolean;
}

export class SettingList {
  @ApiProperty({ type: [SettingRecord] })
  items!: SettingRecord[];
}

export function toSettingList(env: Env): SettingList {
  return {
    items: describeSettings(env).map(({ doc, isSecret, isSet, ...setting }) => ({
      name: setting.name,
      subject: setting.subject,
      description: doc,
      kind: setting.kind,
      value: setting.value,
      default: setting.default,
      origin: setting.origin,
      secret: isSecret,
      is_set: isSet,
    })),
  };
}
