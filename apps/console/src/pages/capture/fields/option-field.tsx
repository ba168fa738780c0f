import { ActionIcon, Badge, Tooltip, UnstyledButton } from '@mantine/core';
import { ResetIcon } from '@radix-ui/react-icons';
import { memo, useState, type ComponentType } from 'react';
import { helpOf } from '../form/options.js';
import { ActionsField } from '../steps/actions-field.js';
import { RecordingField } from '../steps/recording-field.js';
import { controlKind, defaultText, isShort, limitsOf, type ControlKind } from './control-kind.js';
import type { FieldProps } from './field-props.js';
import classes from './fields.module.css';
import { JsonField } from './json-field.js';
import { ChoicesField, DeviceField, TagsField } from './list-fields.js';
import { MapField } from './map-field.js';
import { SessionField } from './session-field.js';
import { ChoiceField, LongTextField, NumberField, SwitchField, TextField } from './simple-fields.js';

const CONTROLS: Readonly<Record<ControlKind, ComponentType<FieldProps>>> = {
  device: DeviceField,
  session: SessionField,
  switch: SwitchField,
  number: NumberField,
  choice: ChoiceField,
  text: TextField,
  'long-text': LongTextField,
  tags: TagsField,
  choices: ChoicesField,
  map: MapField,
  json: JsonField,
  actions: ActionsField,
  recording: RecordingField,
};

interface OptionFieldProps extends Pick<FieldProps, 'option' | 'value' | 'fallback' | 'fault'> {
  /** Whether the option is part of a request with the formats of now. */
  readonly applies: boolean;
  /** Whether it stands by itself, and not in a list of options. */
  readonly isPlain?: boolean;
  readonly set: (name: string, value: unknown) => void;
}

/** The id of the place of an option in the form. */
export const placeOf = (name: string): string => `option-${name}`;

/** One option: its name, its control, what it does, its default and range, and its reset. */
export const OptionField = memo(function OptionField({ applies, isPlain, set, ...field }: OptionFieldProps) {
  const { option, value } = field;
  const kind = controlKind(option);
  const Control = CONTROLS[kind];
  const id = `${placeOf(option.name)}-control`;
  const control = (
    <Control {...field} id={id} disabled={!applies} onChange={(next) => set(option.name, next)} />
  );
  const isChanged = value !== undefined;
  const isBeside = isShort(kind, option);
  return (
    <div id={placeOf(option.name)} className={isPlain ? classes.plain : classes.option}>
      <div className={classes.head}>
        <div className={classes.words}>
          <div className={classes.names}>
            <label htmlFor={id} className={classes.name} data-changed={isChanged && applies}>
              {option.name}
            </label>
            {!applies && (
              <Badge variant="default" size="xs">
                only {option.formats?.join(', ')}
              </Badge>
            )}
            {isChanged && <Reset name={option.name} set={set} />}
          </div>
          {isBeside && <Help {...field} />}
        </div>
        {isBeside && <div className={classes.short}>{control}</div>}
      </div>
      {!isBeside && <div className={classes.long}>{control}</div>}
      {!isBeside && <Help {...field} />}
    </div>
  );
});

function Reset({ name, set }: { readonly name: string; readonly set: OptionFieldProps['set'] }) {
  return (
    <Tooltip label="Back to the default">
      <ActionIcon size="xs" aria-label={`Reset ${name}`} onClick={() => set(name, undefined)}>
        <ResetIcon width={12} />
      </ActionIcon>
    </Tooltip>
  );
}

/** Longer descriptions begin with their first sentence. */
const SHORT_HELP = 130;

function Help({ option, fallback }: Pick<FieldProps, 'option' | 'fallback'>) {
  const [isWhole, setIsWhole] = useState(false);
  const help = helpOf(option);
  const [first = help] = /^.*?[.:](?= )/.exec(help) ?? [];
  const isCut = help.length > SHORT_HELP && first.length < help.length;
  const text = defaultText(fallback);
  const limits = [text === undefined ? undefined : `Default ${text}`, limitsOf(option)];
  const known = limits.filter((each) => each !== undefined).join(' · ');
  return (
    <div className={classes.help}>
      <Marked text={isCut && !isWhole ? first.replace(/:$/, '.') : help} />{' '}
      {isCut && (
        <UnstyledButton
          fz="xs"
          c="dimmed"
          td="underline"
          aria-label={`${isWhole ? 'Less' : 'More'} about ${option.name}`}
          onClick={() => setIsWhole(!isWhole)}
        >
          {isWhole ? 'less' : 'more'}
        </UnstyledButton>
      )}
      {known !== '' && <div className={classes.limits}>{known}</div>}
    </div>
  );
}

/** The Markdown of descriptions has code in backquotes, and nothing else. */
export function Marked({ text }: { readonly text: string }) {
  return text.split('`').map((part, i) => (i % 2 === 1 ? <code key={i}>{part}</code> : part));
}
