import { Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { DropZone } from '../../ui/drop-zone.js';
import { LogInSteps } from './log-in-steps.js';
import { readState, stateSummary, type DraftProps } from './session-draft.js';

/** The page, and the steps or a recording, with the secrets that they name. */
export function LogInFields(props: DraftProps) {
  const { draft, change } = props;
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
      <LogInSteps {...props} />
    </>
  );
}

/** A file with the state of a browser. Its content is not shown: cookies are secrets. */
export function StateField({ draft, change }: Omit<DraftProps, 'error'>) {
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
