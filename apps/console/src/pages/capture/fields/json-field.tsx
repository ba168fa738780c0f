import { Switch, Textarea } from '@mantine/core';
import { useState } from 'react';
import { isSame, isSecret } from '../form/options.js';
import classes from './fields.module.css';
import { shown, type FieldProps } from './field-props.js';

/** A list of objects, written as JSON. What is not JSON yet does not change the form. */
export function JsonField({ option, id, value, fault, disabled, onChange }: FieldProps) {
  const [text, setText] = useState(() => pretty(value));
  const [isShown, setIsShown] = useState(!isSecret(option));
  const { parsed, syntax } = read(text);
  // The JSON of the whole request or a reset may have changed the value meanwhile.
  const current = syntax !== undefined || isSame(parsed, value) ? text : pretty(value);
  const change = (next: string) => {
    setText(next);
    const result = read(next);
    if (result.syntax === undefined) onChange(result.parsed);
  };
  return (
    <>
      <Textarea
        id={id}
        value={current}
        placeholder={`e.g. ${option.example === undefined ? '[{"name": "page"}]' : JSON.stringify(option.example)}`}
        autosize
        minRows={2}
        maxRows={16}
        spellCheck={false}
        autoComplete="off"
        error={syntax ?? fault}
        disabled={disabled}
        classNames={{ input: isShown ? classes.code : classes.hidden }}
        onChange={(event) => change(event.currentTarget.value)}
      />
      {isSecret(option) && (
        <Switch
          mt={6}
          label={`Show ${option.name}`}
          checked={isShown}
          onChange={(event) => setIsShown(event.currentTarget.checked)}
        />
      )}
    </>
  );
}

function read(text: string): { parsed?: unknown; syntax?: string } {
  if (text.trim() === '') return {};
  try {
    return { parsed: JSON.parse(text) as unknown };
  } catch (error) {
    return { syntax: `is not valid JSON: ${(error as Error).message}` };
  }
}

function pretty(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value, null, 2) : shown(value);
}
