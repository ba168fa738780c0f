import { Checkbox, Select, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { ZONE } from '../../../ui/format.js';
import { Panel } from '../../../ui/panel.js';
import { useAccountName, useAccounts } from '../accounts/account-queries.js';
import { SCOPES, type KeyDraft, type LimitDraft } from './key-draft.js';

interface DraftProps {
  readonly draft: KeyDraft;
  readonly change: (changes: Partial<KeyDraft>) => void;
}

interface KeyFieldsProps extends DraftProps {
  /** The account whose page led here; null when it is to be chosen. */
  readonly givenAccount: string | null;
}

/** Whose key it is, what it is called, and what it may do. */
export function KeyFields({ draft, change, givenAccount }: KeyFieldsProps) {
  return (
    <Panel title="Key">
      <Stack gap="sm">
        {givenAccount === null ? (
          <AccountField draft={draft} change={change} />
        ) : (
          <GivenAccount id={givenAccount} />
        )}
        <TextInput
          label="Name"
          description="Says what uses the key. Empty: the name of the account."
          placeholder="shop"
          autoComplete="off"
          spellCheck={false}
          value={draft.name}
          onChange={(event) => change({ name: event.currentTarget.value })}
        />
        <Checkbox.Group
          label="Scopes"
          description="They never change. A key with admin is made by npm run keys only."
          value={[...draft.scopes]}
          onChange={(scopes) => change({ scopes })}
        >
          <Stack gap="xs" mt="xs">
            {SCOPES.map(({ name, help }) => (
              <Checkbox key={name} value={name} label={name} description={help} />
            ))}
          </Stack>
        </Checkbox.Group>
      </Stack>
    </Panel>
  );
}

/** The newest accounts to choose from. The page of any other account leads here with it. */
function AccountField({ draft: { accountId }, change }: DraftProps) {
  const { data } = useAccounts();
  const listed = (data?.pages ?? [])
    .flatMap(({ items }) => items)
    .filter(({ state }) => state !== 'deleting');
  return (
    <Select
      label="Account"
      description="The newest ones. The page of each account has a button for a new key of it."
      placeholder="Choose the account"
      searchable
      data={listed.map(({ id, name }) => ({ value: id, label: name }))}
      value={accountId === '' ? null : accountId}
      onChange={(value) => change({ accountId: value ?? '' })}
    />
  );
}

function GivenAccount({ id }: { readonly id: string }) {
  return (
    <Text className="breaks">
      For the account <b>{useAccountName(id)}</b>.
    </Text>
  );
}

interface LimitFieldsProps {
  readonly title: string;
  readonly draft: LimitDraft;
  readonly change: (changes: Partial<LimitDraft>) => void;
}

/** How long, for which pages and from where a key works. */
export function LimitFields({ title, draft, change }: LimitFieldsProps) {
  return (
    <Panel title={title}>
      <Stack gap="sm">
        <TextInput
          type="datetime-local"
          label="Expires"
          description={`In your time zone, ${ZONE}. Empty: never.`}
          value={draft.expires}
          onChange={(event) => change({ expires: event.currentTarget.value })}
        />
        <Textarea
          label="Hosts that it may capture"
          description="One a line; *.example.com stands for all subdomains. Empty: all."
          placeholder="example.com"
          autosize
          minRows={1}
          autoComplete="off"
          spellCheck={false}
          value={draft.hosts}
          onChange={(event) => change({ hosts: event.currentTarget.value })}
        />
        <Textarea
          label="Addresses from which it may be used"
          description="CIDRs, one a line. Empty: all."
          placeholder="203.0.113.0/24"
          autosize
          minRows={1}
          autoComplete="off"
          spellCheck={false}
          value={draft.addresses}
          onChange={(event) => change({ addresses: event.currentTarget.value })}
        />
      </Stack>
    </Panel>
  );
}
