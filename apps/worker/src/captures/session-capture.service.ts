import { Injectable } from '@nestjs/common';
import {
  CaptureFailure,
  isLogInWall,
  restoreOptions,
  type Captured,
  type CaptureOptions,
  type SessionUse,
} from '@app/capture';
import { CaptureEngine } from '@app/capture/engine';
import { LogInsService, type Job } from '@app/jobs';
import { AppError, Clock, type Fault } from '@app/kernel';
import {
  checkOptions,
  isOver,
  logInPointer,
  notReady,
  SessionLifeRepository,
  SessionRepository,
  SessionSecretsService,
  type KeptState,
  type Session,
} from '@app/sessions';
import { CaptureStoppedError } from './running-captures.service.js';

/** Visits the page of a capture, with a session or without. */
export type VisitWith = (use?: SessionUse) => Promise<Captured>;

interface SessionCapture {
  readonly options: CaptureOptions;
  readonly signal: AbortSignal;
  readonly visit: VisitWith;
}

interface CapturedWithSession {
  readonly captured: Captured;
  readonly state: KeptState | undefined;
}

/** A check opens one page. It takes less than its lease. */
const CHECK_TIMEOUT_MS = 30_000;

/**
 * Makes captures with a session: it logs the session in, waits for the log-in of another capture, checks it when that is due, and
 * renews it once when the page asks for a log-in.
 */
@Injectable()
export class SessionCaptureService {
  constructor(
    private readonly sessions: SessionRepository,
    private readonly life: SessionLifeRepository,
    private readonly secrets: SessionSecretsService,
    private readonly logIns: LogInsService,
    private readonly engine: CaptureEngine,
    private readonly clock: Clock,
  ) {}

  /**
   * @throws AppError `session_not_ready`, `login_failed`, `secrets_unreadable`, those of the visit; CaptureStoppedError when the
   * capture has to wait for a log-in
   */
  async capture(job: Job, work: SessionCapture): Promise<CapturedWithSession> {
    const session = await this.read(job, work.options);
    try {
      return await this.captureWith(session, job, work);
    } catch (error) {
      if (error instanceof AppError && error.code === 'secrets_unreadable')
        await this.life.fail(session, error.toBody());
      throw error;
    }
  }

  private async captureWith(session: Session, job: Job, work: SessionCapture): Promise<CapturedWithSession> {
    // One that was deleted has no log-in either, although its job may have begun in the same moment.
    if (session.logInJobId === job.id && session.status !== 'revoked') return this.logIn(session, work);
    if (isOver(session.status)) throw refusal(session);
    if (session.status === 'pending' || session.logInJobId !== null) return this.wait(job, session);
    if (session.isCheckDue === true && !(await this.check(session, job, work.signal)))
      return this.wait(job, session);
    const { session_save: isKept, session_share: isShared } = work.options;
    const share = isShared ? shareOf(job, session) : undefined;
    const captured = await work.visit({ ...this.useOf(session, isKept), share });
    if (isLogInWall(captured.facts) && (await this.renews(job, session))) return this.wait(job, session);
    return { captured, state: this.kept(session, captured) };
  }

  private async read({ accountId }: Job, { session: id = '' }: CaptureOptions): Promise<Session> {
    const session = await this.sessions.find(accountId, id);
    if (!session) throw new AppError('session_not_ready', { detail: 'The session was deleted.' });
    return session;
  }

  /** The capture is the log-in: it begins with nothing, and its state is that of the session. */
  private async logIn(session: Session, { visit }: SessionCapture): Promise<CapturedWithSession> {
    const { origins } = session;
    try {
      const captured = await visit({ origins, state: null, isKept: true, fact: factOf(session) });
      return { captured, state: this.kept(session, captured) };
    } catch (error) {
      throw toLogInFailure(error, session);
    }
  }

  /** Leaves the slot to others until the session is ready. Begins the log-in if nobody has. */
  private async wait(job: Job, session: Session): Promise<never> {
    this.assertMayWait(job);
    if (session.logInJobId === null) await this.logIns.begin(session);
    throw new CaptureStoppedError('session');
  }

  private assertMayWait(job: Job): void {
    const waitedMs = this.clock.now().getTime() - (job.startedAt ?? job.createdAt).getTime();
    if (waitedMs >= job.timeoutMs) {
      throw new AppError('session_not_ready', {
        detail: 'The session was not ready within the timeout of the capture.',
      });
    }
  }

  /** Whether the session still works. Another worker may check it just now: then nobody knows yet. */
  private async check(session: Session, job: Job, signal: AbortSignal): Promise<boolean> {
    const options = checkOptions(session, CHECK_TIMEOUT_MS);
    if (!options) return true;
    if (!(await this.life.beginCheck(session))) {
      this.assertMayWait(job);
      throw new CaptureStoppedError('session');
    }
    try {
      const use = { ...this.useOf(session, false), fact: null };
      await this.engine.capture(restoreOptions(options, null), signal, { session: use });
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'action_failed') {
        await this.life.releaseCheck(session);
        throw error;
      }
      await this.life.end(session, toLogInFailure(error, { ...session, logIn: null }).toBody());
      if (session.logIn === null) throw refusal({ ...session, status: 'failed' });
      return false;
    }
    await this.life.passCheck(session);
    return true;
  }

  /**
   * Whether the capture is to be made again, because its page asked for a log-in. A state that is younger than the capture has been
   * renewed for it, or for another one, so that a page which is behind another log-in does not renew the session again and again.
   */
  private async renews(job: Job, session: Session): Promise<boolean> {
    const { loggedInAt, logIn } = session;
    if (!logIn || (loggedInAt !== null && job.startedAt !== null && loggedInAt > job.startedAt)) return false;
    await this.life.end(session, null);
    return true;
  }

  private useOf(session: Session, isKept: boolean): SessionUse {
    return {
      origins: session.origins,
      state: this.secrets.openState(session),
      isKept,
      fact: factOf(session),
    };
  }

  private kept({ id, generation }: Session, { state }: Captured): KeptState | undefined {
    return state && { generation, sealed: this.secrets.sealState(id, state) };
  }
}

/** Rows of one batch share a context as long as the session has the same state; a capture that is no row shares none. */
function shareOf({ batchId }: Job, { id, generation }: Session): string | undefined {
  return batchId === null ? undefined : `${batchId} ${id} ${generation}`;
}

function factOf({ id, name, generation, checkedAt }: Session): SessionUse['fact'] {
  return { id, name, generation, checked_at: checkedAt?.toISOString() ?? null };
}

/** The error of a capture that cannot use its session: why the log-in failed, if it did. */
function refusal(session: Session): AppError {
  const { error, status } = session;
  if (status !== 'failed' || error?.code !== 'login_failed') return notReady(session);
  return new AppError('login_failed', { detail: error.detail, errors: error.errors });
}

/** A failed step as an error of the session, whose request it names. */
function toLogInFailure(error: unknown, { logIn }: Session): AppError {
  const failure = AppError.from(error);
  if (failure.code !== 'action_failed') return failure;
  const errors = failure.facts.errors?.map((fault): Fault => ({
    ...fault,
    pointer: logInPointer(fault.pointer, logIn, '/check'),
  }));
  const [first] = errors ?? [];
  const where = first ? `${first.pointer.slice(1)}: ${first.detail}` : failure.facts.detail;
  const known = new AppError('login_failed', { ...failure.facts, detail: where, errors });
  return failure instanceof CaptureFailure ? new CaptureFailure(known, failure.partial) : known;
}
