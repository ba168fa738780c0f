import { AuditRepository } from '../../libs/audit/src/audit.repository.js';
import { allRows, callsOf } from './calls.js';

export const CALLS_OF_AUDIT = [
  callsOf(AuditRepository, {
    record: allRows('It adds an event, which is about the account that it names, and reads no row.'),
    list: allRows('Only keys with the scope `admin` read the audit trail, which is about all accounts.'),
    purge: allRows('The upkeep deletes the events of all accounts that are old.'),
  }),
];
