/**
 * Audit: who changed which key or account, when, from where, and how it was before. The libraries that change something
 * record it in the transaction of the change. It never holds a secret, and nothing changes or removes an event but its age.
 */
export {
  AUDIT_ACTIONS,
  COMMAND,
  SERVICE,
  type Actor,
  type AuditAction,
  type AuditEvent,
  type AuditPage,
  type Change,
  type Facts,
} from './audit-event.js';
export { AuditModule } from './audit.module.js';
export { AuditRepository, type AuditFilter } from './audit.repository.js';
