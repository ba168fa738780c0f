import { Combobox, Kbd, Text, TextInput, useCombobox } from '@mantine/core';
import { MagnifyingGlassIcon } from '@radix-ui/react-icons';
import { useEffect, useRef, useState } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { SEARCH_FIELD } from '../../ui/search-field.js';
import classes from './captures-page.module.css';
import type { Filters } from './filters.js';
import { meaningsOf, type Meaning } from './search-meanings.js';

/** Finds captures by URL, title, reference or id, and says which of these a text is taken for. */
export function SearchField({ apply }: { readonly apply: (changes: Filters) => void }) {
  const { text, change, meanings, follow, combobox } = useSearch(apply);
  const field = useRequestedFocus();
  return (
    <Combobox
      store={combobox}
      onOptionSubmit={(at) => follow(meanings[Number(at)])}
      position="bottom-start"
      width="target"
    >
      <Combobox.Target>
        <TextInput
          {...SEARCH_FIELD}
          ref={field}
          className={classes.search}
          type="search"
          aria-label="Search by URL, title, reference or id"
          placeholder="URL, title, reference or id"
          maxLength={2_000}
          leftSection={<MagnifyingGlassIcon aria-hidden />}
          rightSection={<SlashHint />}
          rightSectionProps={{ 'aria-hidden': true }}
          value={text}
          onChange={({ currentTarget: { value } }) => change(value)}
          onBlur={() => combobox.closeDropdown()}
          onKeyDown={(event) => {
            // With a list that is not open the component submits nothing.
            if (event.key === 'Enter' && !combobox.dropdownOpened) follow(meanings[0]);
            if (event.key === 'Escape' && text === '') event.currentTarget.blur();
          }}
        />
      </Combobox.Target>
      <Combobox.Dropdown hidden={meanings.length === 0}>
        <Combobox.Options aria-label="What to search">
          <Meanings meanings={meanings} />
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}

function SlashHint() {
  return (
    <Kbd size="xs" visibleFrom="sm">
      /
    </Kbd>
  );
}

/** The text, what it may mean, and what follows from the choice among these meanings. */
function useSearch(apply: (changes: Filters) => void) {
  const [text, setText] = useState('');
  const [, navigate] = useLocation();
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() });
  const change = (value: string) => {
    setText(value);
    if (value.trim() === '') combobox.closeDropdown();
    else combobox.openDropdown();
    combobox.selectFirstOption();
  };
  const follow = (meaning: Meaning | undefined) => {
    if (!meaning) return;
    combobox.closeDropdown();
    setText('');
    if (meaning.kind === 'capture') navigate(`/captures/${meaning.id}`);
    else apply({ [meaning.filter]: meaning.value });
  };
  return { text, change, meanings: meaningsOf(text), follow, combobox };
}

function Meanings({ meanings }: { readonly meanings: readonly Meaning[] }) {
  return meanings.map((meaning, at) => (
    <Combobox.Option key={at} value={String(at)}>
      {meaning.text}{' '}
      {meaning.kind === 'filter' && (
        <Text component="bdi" fw={500} className="breaks">
          {meaning.value}
        </Text>
      )}
    </Combobox.Option>
  ));
}

/** The shortcut of other pages leads to the field by `?find`. */
function useRequestedFocus() {
  const field = useRef<HTMLInputElement>(null);
  const [query, setQuery] = useSearchParams();
  const isRequested = query.has('find');
  useEffect(() => {
    if (!isRequested) return;
    field.current?.focus();
    setQuery(
      (now) => {
        const rest = new URLSearchParams(now);
        rest.delete('find');
        return rest;
      },
      { replace: true },
    );
  }, [isRequested, setQuery]);
  return field;
}
