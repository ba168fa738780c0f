import { Button, Stack } from '@mantine/core';
import { useSearchParams } from 'wouter';
import { EmptyState } from '../../../ui/empty-state.js';
import { PageHeader } from '../../../ui/page-header.js';
import { PagedList } from '../../../ui/paged-list.js';
import { filtersOf, withFilter } from './audit-filters.js';
import { useAudit } from './audit-queries.js';
import { AuditTable } from './audit-table.js';
import { FilterFields } from './filter-fields.js';

/** What operators changed, when and from where, with filters that are kept in the address of the page. */
export default function AuditPage() {
  const [search, setSearch] = useSearchParams();
  const filters = filtersOf(search);
  const clear = () => setSearch({}, { replace: true });
  return (
    <>
      <PageHeader
        title="Audit trail"
        description="Who changed which account, key or worker, by the console, the API or a command. Nobody can change it."
      />
      <Stack gap="md">
        <FilterFields
          filters={filters}
          apply={(name, value) => setSearch((before) => withFilter(before, name, value), { replace: true })}
        />
        <PagedList
          query={useAudit(filters)}
          more="Show older changes"
          empty={<NoChanges hasFilters={Object.keys(filters).length > 0} onClear={clear} />}
        >
          {(events) => <AuditTable events={events} />}
        </PagedList>
      </Stack>
    </>
  );
}

interface NoChangesProps {
  readonly hasFilters: boolean;
  readonly onClear: () => void;
}

function NoChanges({ hasFilters, onClear }: NoChangesProps) {
  if (!hasFilters)
    return <EmptyState title="No changes yet">What happens to accounts and keys is listed here.</EmptyState>;
  return (
    <EmptyState title="No change matches" action={<Button onClick={onClear}>Show all changes</Button>}>
      Changes are kept for AUDIT_TTL_S, which is a year unless the operator sets it.
    </EmptyState>
  );
}
