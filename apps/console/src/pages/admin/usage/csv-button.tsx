import { Button } from '@mantine/core';
import { DownloadIcon } from '@radix-ui/react-icons';
import { useApi } from '../../../api/client.js';
import { queryOf, type DayRange } from '../../usage/range.js';

interface CsvButtonProps {
  readonly range: DayRange;
  /** Without one the file has all accounts. */
  readonly accountId?: string;
}

/** Saves the usage by account and day as the service writes it: a row for each day with captures. */
export function CsvButton({ range, accountId }: CsvButtonProps) {
  const { urlOf } = useApi();
  const query = new URLSearchParams({ format: 'csv', ...queryOf(range) });
  if (accountId !== undefined) query.set('account_id', accountId);
  return (
    <Button
      component="a"
      href={urlOf(`/v1/admin/usage?${query.toString()}`)}
      download
      variant="default"
      leftSection={<DownloadIcon />}
    >
      CSV
    </Button>
  );
}
