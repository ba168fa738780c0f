import { Link } from 'wouter';
import classes from '../admin.module.css';
import { useAccountName } from './account-queries.js';

/** The name of an account, which leads to it. */
export function AccountLink({ id }: { readonly id: string }) {
  return (
    <Link href={`/admin/accounts/${id}`} className={classes.link}>
      {useAccountName(id)}
    </Link>
  );
}
