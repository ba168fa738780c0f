import { ActionIcon, Button, CloseButton, Group, SegmentedControl, VisuallyHidden } from '@mantine/core';
import { DashboardIcon, RowsIcon } from '@radix-ui/react-icons';
import type { ReactNode } from 'react';
import { useSearchParams } from 'wouter';
import classes from './captures-page.module.css';
import { FilterFields } from './filter-fields.js';
import { FILTERS, LABELS, valueText, withFilters, withoutFilters, type Filters } from './filters.js';
import { SearchField } from './search-field.js';
import type { View } from './use-grid.js';

/** Searches, filters, and switches between gallery and table. All of it is in the address. */
export function CapturesBar({ filters, view }: { readonly filters: Filters; readonly view: View }) {
  const [, setQuery] = useSearchParams();
  const apply = (changes: Filters) => setQuery((query) => withFilters(query, changes));
  const active = FILTERS.filter((name) => filters[name] !== undefined);
  return (
    <div className={classes.bar}>
      <Group gap="xs" wrap="nowrap">
        <SearchField apply={apply} />
        <FilterFields filters={filters} apply={apply} />
        <ViewChoice view={view} />
      </Group>
      {active.length > 0 && (
        <Group gap={6} mt={8} role="group" aria-label="Filters in use">
          {active.map((name) => (
            <FilterChip
              key={name}
              label={LABELS[name]}
              value={valueText(name, filters[name] ?? '')}
              onRemove={() => apply({ [name]: '' })}
            />
          ))}
          {active.length > 1 && (
            <Button variant="subtle" size="compact-xs" onClick={() => setQuery(withoutFilters)}>
              Clear all
            </Button>
          )}
        </Group>
      )}
    </div>
  );
}

function ViewChoice({ view }: { readonly view: View }) {
  const [, setQuery] = useSearchParams();
  const show = (next: string) =>
    setQuery(
      (query) => {
        const changed = new URLSearchParams(query);
        if (next === 'table') changed.set('view', 'table');
        else changed.delete('view');
        return changed;
      },
      { replace: true },
    );
  return (
    <SegmentedControl
      ml="auto"
      flex="none"
      aria-label="View"
      value={view}
      onChange={show}
      data={[
        { value: 'gallery', label: <Option name="Gallery" icon={<DashboardIcon aria-hidden />} /> },
        { value: 'table', label: <Option name="Table" icon={<RowsIcon aria-hidden />} /> },
      ]}
    />
  );
}

function Option({ name, icon }: { readonly name: string; readonly icon: ReactNode }) {
  return (
    <ActionIcon component="span" variant="transparent" size={18} color="currentColor">
      {icon}
      <VisuallyHidden>{name}</VisuallyHidden>
    </ActionIcon>
  );
}

interface FilterChipProps {
  readonly label: string;
  readonly value: string;
  readonly onRemove: () => void;
}

function FilterChip({ label, value, onRemove }: FilterChipProps) {
  return (
    <span className={classes.chip}>
      <span>
        {label}: <bdi>{value}</bdi>
      </span>
      <CloseButton size="xs" aria-label={`Remove the filter ${label}`} onClick={onRemove} />
    </span>
  );
}
