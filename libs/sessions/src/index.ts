/**
 * Sessions: what a browser keeps after a log-in, so that an account logs in once and captures many pages: the rows, their secrets,
 * and which captures may use them. It never opens a browser, makes a job, or gives a state or a secret out again.
 */
export { checkOptions, logInOptions, logInPointer } from './log-in-options.js';
export { Session, type LogIn, type SessionCheck } from './session.entity.js';
export { SessionLifeRepository, type KeptState, type LogInEnd } from './session-life.repository.js';
export { SessionRepository, type NewSession } from './session.repository.js';
export { SessionSecretsService } from './session-secrets.service.js';
export { isOver, SESSION_STATUSES, type SessionStatus } from './session-status.js';
export { notReady, SessionUsesService } from './session-uses.service.js';
export { SessionsModule } from './sessions.module.js';
export { readStateFor, stateFaults } from './storage-state.js';
