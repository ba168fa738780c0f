import { Accordion, Badge, Group, Switch, Text, TextInput } from '@mantine/core';
import { MagnifyingGlassIcon } from '@radix-ui/react-icons';
import type { CatalogueOption } from '@capture-service/client';
import { SEARCH_FIELD } from '../../../ui/search-field.js';
import classes from './fields.module.css';
import type { Faults } from '../form/faults.js';
import {
  applies,
  defaultOf,
  FAMILIES,
  FIRST_NAMES,
  formatsOf,
  OPTIONS,
  slugOf,
  matches,
  type Family,
  type Values,
} from '../form/options.js';
import type { OptionsView } from '../use-options-view.js';
import { useDevices } from './list-fields.js';
import { Marked, OptionField } from './option-field.js';

interface OptionsPanelProps {
  readonly values: Values;
  readonly faults: Faults;
  readonly view: OptionsView;
  readonly set: (name: string, value: unknown) => void;
}

/** All options in their families, with a search over names and descriptions. */
export function OptionsPanel(props: OptionsPanelProps) {
  const { search, onlyChanged, open, setOpen } = props.view;
  const isShown = (option: CatalogueOption) =>
    matches(option, search) && (!onlyChanged || props.values[option.name] !== undefined);
  const isNarrowed = search !== '' || onlyChanged;
  const shown = FAMILIES.map((family) => ({ ...family, options: family.options.filter(isShown) })).filter(
    ({ options }) => options.length > 0,
  );
  return (
    <section aria-label="Options">
      <SearchBar view={props.view} />
      {isNarrowed && <Narrowed isShown={isShown} isEmpty={shown.length === 0} search={search} />}
      <Accordion
        multiple
        order={2}
        variant="contained"
        chevronPosition="left"
        value={isNarrowed ? shown.map(slugOf) : [...open]}
        onChange={(next) => {
          if (!isNarrowed) setOpen(next);
        }}
        classNames={{ root: classes.families, item: classes.family }}
        styles={{ content: { padding: 0 }, label: { paddingBlock: 8 }, chevron: { marginInlineEnd: 8 } }}
      >
        {shown.map((family) => (
          <FamilyItem
            key={family.name}
            {...props}
            family={family}
            isOpen={isNarrowed || open.has(slugOf(family))}
          />
        ))}
      </Accordion>
    </section>
  );
}

function SearchBar({ view }: { readonly view: OptionsView }) {
  const { search, setSearch, onlyChanged, setOnlyChanged } = view;
  return (
    <Group gap="sm" mb="xs" wrap="nowrap">
      <TextInput
        {...SEARCH_FIELD}
        type="search"
        flex={1}
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
        placeholder="Search options"
        aria-label="Search options"
        leftSection={<MagnifyingGlassIcon aria-hidden />}
      />
      <Switch
        label="Changed only"
        checked={onlyChanged}
        onChange={(event) => setOnlyChanged(event.currentTarget.checked)}
      />
    </Group>
  );
}

interface NarrowedProps {
  readonly isShown: (option: CatalogueOption) => boolean;
  readonly isEmpty: boolean;
  readonly search: string;
}

/** Says which options above the families are meant as well, or that there is none. */
function Narrowed({ isShown, isEmpty, search }: NarrowedProps) {
  const above = FIRST_NAMES.filter((name) => {
    const option = OPTIONS.get(name);
    return option !== undefined && isShown(option);
  });
  if (above.length === 0 && !isEmpty) return null;
  const nothing = search === '' ? 'All options have their defaults.' : 'No option matches.';
  return (
    <Text c="dimmed" py="xs" ta="center" role="status">
      {above.length === 0 ? nothing : `At the top of the form: ${above.join(', ')}`}
    </Text>
  );
}

interface FamilyItemProps extends OptionsPanelProps {
  readonly family: Family;
  readonly isOpen: boolean;
}

function FamilyItem({ family, isOpen, values, faults, set }: FamilyItemProps) {
  const { data: devices } = useDevices();
  const formats = formatsOf(values);
  return (
    <Accordion.Item value={slugOf(family)}>
      <Accordion.Control>
        <FamilyHead {...{ family, values, faults }} />
      </Accordion.Control>
      <Accordion.Panel>
        {isOpen && (
          <>
            <Text size="xs" c="dimmed" px={12} pb={6}>
              <Marked text={family.description} />
            </Text>
            {family.options.map((option) => (
              <OptionField
                key={option.name}
                option={option}
                value={values[option.name]}
                fallback={defaultOf(option, values, devices)}
                fault={faults.get(option.name)}
                applies={applies(option, formats)}
                set={set}
              />
            ))}
          </>
        )}
      </Accordion.Panel>
    </Accordion.Item>
  );
}

function FamilyHead({ family, values, faults }: Pick<FamilyItemProps, 'family' | 'values' | 'faults'>) {
  const formats = formatsOf(values);
  const changed = family.options.filter(({ name }) => values[name] !== undefined).length;
  const faulty = family.options.filter(({ name }) => faults.has(name)).length;
  const isOff = family.options.every((option) => !applies(option, formats));
  return (
    <Group gap={6} wrap="nowrap">
      <Text fw={500} span {...(isOff && { c: 'dimmed' })}>
        {labelOf(family)}
      </Text>
      {isOff && <Badge variant="default">not available for {[...formats].join(', ')}</Badge>}
      {changed > 0 && <Badge aria-label={`${changed} changed`}>{changed}</Badge>}
      {faulty > 0 && <Badge color="red">{faulty} wrong</Badge>}
    </Group>
  );
}

function labelOf({ name }: Family): string {
  return name === 'pdf' ? 'PDF' : `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}
