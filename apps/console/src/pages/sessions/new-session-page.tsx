import { Button, Group, SegmentedControl, Stack, Textarea, TextInput } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { useLocation } from 'wouter';
import { BackLink } from '../../ui/back-link.js';
import { PageHeader } from '../../ui/page-header.js';
import { Panel } from '../../ui/panel.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { LogInFields, StateField } from './draft-fields.js';
import { EMPTY_DRAFT, isComplete, requestOf, type DraftProps, type SessionDraft } from './session-draft.js';
import { useCreation } from './session-queries.js';

const KINDS = [
  { value: 'login', label: 'Log in with steps' },
  { value: 'state', label: 'State of a browser' },
];

/** A form for a session that logs in, or takes the state of a browser from a file. */
export default function NewSessionPage() {
  const [draft, setDraft] = useState<SessionDraft>(EMPTY_DRAFT);
  const [, navigate] = useLocation();
  const { mutate, error, isPending } = useCreation();
  const change = (changes: Partial<SessionDraft>) => setDraft((last) => ({ ...last, ...changes }));
  const create = (event: FormEvent) => {
    event.preventDefault();
    mutate(requestOf(draft), { onSuccess: ({ id }) => navigate(`/sessions/${id}`) });
  };
  return (
    <Stack gap="md" maw="48rem">
      <BackLink href="/sessions">Sessions</BackLink>
      <PageHeader title="New session" />
      <form onSubmit={create}>
        <Stack gap="md">
          <NamePanel draft={draft} change={change} />
          <WayPanel draft={draft} change={change} error={error} />
          <CheckPanel draft={draft} change={change} />
          {error && <ProblemAlert error={error} />}
          <Group>
            <Button type="submit" loading={isPending} disabled={!isComplete(draft)}>
              Create the session
            </Button>
          </Group>
        </Stack>
      </form>
    </Stack>
  );
}

type Draft = Omit<DraftProps, 'error'>;

function NamePanel({ draft, change }: Draft) {
  return (
    <Panel title="Session">
      <Stack gap="sm">
        <TextInput
          label="Name"
          description="Captures name it in their option session."
          placeholder="shop"
          autoComplete="off"
          spellCheck={false}
          value={draft.name}
          onChange={(event) => change({ name: event.currentTarget.value })}
        />
        <Textarea
          label="Origins"
          description="One a line. Cookies and storage of others are dropped. Empty: that of the log-in."
          placeholder="https://shop.example"
          autosize
          minRows={1}
          autoComplete="off"
          spellCheck={false}
          value={draft.origins}
          onChange={(event) => change({ origins: event.currentTarget.value })}
        />
      </Stack>
    </Panel>
  );
}

function WayPanel(props: DraftProps) {
  const { draft, change } = props;
  return (
    <Panel title="Way in">
      <Stack gap="sm">
        <SegmentedControl
          aria-label="Way in"
          data={KINDS}
          value={draft.kind}
          onChange={(kind) => change({ kind: kind as SessionDraft['kind'] })}
        />
        {draft.kind === 'login' ? <LogInFields {...props} /> : <StateField change={change} draft={draft} />}
      </Stack>
    </Panel>
  );
}

function CheckPanel({ draft, change }: Draft) {
  return (
    <Panel title="Check (optional)">
      <Stack gap="sm">
        <TextInput
          label="Page that only those see who are logged in"
          placeholder="https://shop.example/account"
          inputMode="url"
          autoComplete="off"
          spellCheck={false}
          value={draft.checkUrl}
          onChange={(event) => change({ checkUrl: event.currentTarget.value })}
        />
        <TextInput
          label="Selector of an element that it shows then"
          placeholder=".account"
          autoComplete="off"
          spellCheck={false}
          value={draft.checkSelector}
          onChange={(event) => change({ checkSelector: event.currentTarget.value })}
        />
      </Stack>
    </Panel>
  );
}
