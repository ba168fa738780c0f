import { Injectable } from '@nestjs/common';
import { sqlStateOf, type Transaction } from '@app/database';
import {
  AcceptanceTransactionService,
  assertSameRequest,
  IdempotencyKeyRepository,
  LogInsService,
  subjectIsGone,
  type Idempotency,
  type StoredKey,
} from '@app/jobs';
import { AppError, invalidRequest, newId } from '@app/kernel';
import {
  readStateFor,
  SessionRepository,
  SessionSecretsService,
  type NewSession,
  type Session,
} from '@app/sessions';
import { AccountLimitsService } from '@app/usage';
import type { SessionRequest } from './session.request.js';

/** SQLSTATE `unique_violation`. */
const NAME_IS_TAKEN = '23505';

type StartedLogIn = Awaited<ReturnType<LogInsService['beginIn']>>;
type Created = { readonly earlier: StoredKey } | { readonly id: string; readonly logIn: StartedLogIn };

/** Makes sessions, and logs them in when their owners ask for it. */
@Injectable()
export class AccountSessionsService {
  constructor(
    private readonly transactions: AcceptanceTransactionService,
    private readonly keys: IdempotencyKeyRepository,
    private readonly logIns: LogInsService,
    private readonly repository: SessionRepository,
    private readonly secrets: SessionSecretsService,
    private readonly limits: AccountLimitsService,
  ) {}

  /**
   * Stores a session, and begins its log-in unless it was given its state. When this rejects, nothing is stored.
   *
   * @throws AppError `invalid_request` when the name is taken, `limit_reached`, `payload_too_large`, `allowance_exhausted`,
   * `target_forbidden`, and those of a repeated request
   */
  async create(
    accountId: string,
    request: SessionRequest,
    idempotency: Idempotency | undefined,
  ): Promise<{ readonly session: Session; readonly replayed: boolean }> {
    const session = this.toNewSession(accountId, request);
    await this.logIns.prepare();
    const created = await this.transactions
      .forOneRequest(idempotency, (transaction) => this.store(transaction, session, idempotency))
      .catch((error: unknown) => {
        throw sqlStateOf(error) === NAME_IS_TAKEN ? nameIsTaken() : error;
      });
    if ('earlier' in created) return this.replay(accountId, created.earlier, idempotency);
    await this.logIns.enqueue(created.logIn);
    return { session: await this.find(accountId, created.id), replayed: false };
  }

  /** @throws AppError `not_found` for an unknown name or id, and for those of another account */
  async find(accountId: string, nameOrId: string): Promise<Session> {
    const session = await this.repository.find(accountId, nameOrId);
    if (!session) throw new AppError('not_found', { detail: 'There is no session with this name or id.' });
    return session;
  }

  /**
   * Begins a log-in whatever has failed before; one that is open goes on.
   *
   * @throws AppError `not_found`, `session_not_ready` for a session that cannot log in, `allowance_exhausted`, `secrets_unreadable`
   */
  async logIn(accountId: string, nameOrId: string): Promise<Session> {
    const session = await this.find(accountId, nameOrId);
    const isUnreadable = session.error?.code === 'secrets_unreadable';
    if (session.status === 'revoked' || (!session.logIn && !isUnreadable)) {
      const detail =
        'The session has no login, so that it cannot log in. Make another one with POST /v1/sessions.';
      throw new AppError('session_not_ready', { detail });
    }
    await (session.logIn ? this.logIns.begin(session, true) : this.logIns.reinstate(session));
    return this.find(accountId, session.id);
  }

  private async store(
    transaction: Transaction,
    session: NewSession,
    idempotency: Idempotency | undefined,
  ): Promise<Created> {
    const { id, accountId } = session;
    const [earlier] = idempotency
      ? await this.keys.claim(transaction, [{ ...idempotency, accountId, subjectId: id }])
      : [];
    if (earlier) return { earlier };
    const { maxSessions } = await this.limits.forNewWork(accountId, transaction);
    const stored = await this.repository.add(transaction, session, maxSessions);
    if (!stored) throw limitReached(maxSessions);
    const logIn = stored.status === 'pending' ? await this.logIns.beginIn(transaction, stored) : null;
    return { id, logIn };
  }

  private async replay(accountId: string, earlier: StoredKey, idempotency: Idempotency | undefined) {
    assertSameRequest(earlier, idempotency?.fingerprint);
    const session = await this.repository.find(accountId, earlier.subjectId);
    if (!session || session.status === 'revoked') throw subjectIsGone();
    return { session, replayed: true };
  }

  private toNewSession(accountId: string, request: SessionRequest): NewSession {
    const { name, origins, logIn, check, secrets, state, keepAliveS, expiresInS } = request;
    const id = newId();
    return {
      id,
      accountId,
      name,
      origins,
      logIn,
      check,
      keepAliveS,
      expiresInS,
      secrets: this.secrets.sealSecrets(id, secrets),
      state: state === undefined ? null : this.secrets.sealState(id, readStateFor(origins, state)),
    };
  }
}

function nameIsTaken(): AppError {
  const detail = 'is the name of another session of the account';
  return invalidRequest([{ pointer: '/name', code: 'not_unique', detail }]);
}

function limitReached(limit: number): AppError {
  return new AppError('limit_reached', { detail: `The account may have ${limit} sessions, and has them.` });
}
