import { PasswordInput, Text, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { DropZone } from '../../ui/drop-zone.js';
import { readState, readSteps, secretNames, stateSummary, type SessionDraft } from './session-draft.js';
import classes from './sessions.module.css';

export interface DraftProps {
  readonly draft: SessionDraft;
  readonly change: (changes: Partial<SessionDraft>) => void;
}

const EXAMPLE = `[
  {"type": "fill", "selector": "#email", "value": "ada@example.com"},
  {"type": "fill", "selector": "#password", "secret": "password"},
  {"type": "click", "selector": "text/Sign in"}
]`;

/** The page, the steps, and a field for each secret that they name. */
export function LogInFields({ draft, change }: DraftProps) {
  return (
    <>
      <TextInput
        label="Page to log in at"
        placeholder="https://shop.example/login"
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
        value={draft.loginUrl}
        onChange={(event) => change({ loginUrl: event.currentTarget.value })}
      />
      <Textarea
        label="Steps"
        description="JSON, as the option actions has them. A step names a password as secret, and the seed of an authenticator as totp."
        placeholder={EXAMPLE}
        autosize
        minRows={5}
        maxRows={20}
        autoComplete="off"
        spellCheck={false}
        className={classes.code}
        error={readSteps(draft.steps).fault}
        value={draft.steps}
        onChange={(event) => change({ steps: event.currentTarget.value })}
      />
      {secretNames(draft.steps).map((name) => (
        <PasswordInput
          key={name}
          label={`Secret ${name}`}
          autoComplete="new-password"
          visibilityToggleButtonProps={{ 'aria-label': `Show the secret ${name}` }}
          value={draft.secrets[name] ?? ''}
          onChange={(event) => change({ secrets: { ...draft.secrets, [name]: event.currentTarget.value } })}
        />
      ))}
    </>
  );
}

/** A file with the state of a browser. Its content is not shown: cookies are secrets. */
export function StateField({ draft, change }: DraftProps) {
  const [said, setSaid] = useState({ text: '', isFault: false });
  const read = async (file: File) => {
    try {
      const state = readState(await file.text());
      change({ state });
      setSaid({ text: `${file.name}: ${stateSummary(state)}`, isFault: false });
    } catch (error) {
      change({ state: undefined });
      setSaid({ text: (error as Error).message, isFault: true });
    }
  };
  return (
    <>
      <DropZone title="Drop a state here" accept=".json,application/json" onFile={(file) => void read(file)}>
        JSON, as <code>storageState</code> of Playwright writes it. It is encrypted, and never shown again.
      </DropZone>
      <Text role="status" c={said.isFault ? 'red' : undefined}>
        {draft.state || said.isFault ? said.text : 'No file is chosen.'}
      </Text>
    </>
  );
}
