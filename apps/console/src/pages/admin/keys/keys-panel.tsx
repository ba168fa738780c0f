import { Button, Text } from '@mantine/core';
import { Link } from 'wouter';
import { Panel } from '../../../ui/panel.js';
import { PagedList } from '../../../ui/paged-list.js';
import { useKeys } from './key-queries.js';
import { KeyTable } from './key-table.js';

/** The keys of one account, and a way to a new one. */
export function KeysPanel({ accountId }: { readonly accountId: string }) {
  return (
    <Panel
      title="Keys"
      aside={
        <Button component={Link} href={`/admin/keys/new?account=${accountId}`} variant="default">
          New key
        </Button>
      }
    >
      <PagedList
        query={useKeys(accountId)}
        more="Show older keys"
        empty={<Text>The account has no keys: nobody can use it.</Text>}
      >
        {(keys) => <KeyTable keys={keys} hasAccounts={false} />}
      </PagedList>
    </Panel>
  );
}
