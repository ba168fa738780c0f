import { Injectable } from '@nestjs/common';
import type { Actor } from '@app/audit';
import type { Transaction } from '@app/database';
import {
  AcceptanceTransactionService,
  assertSameRequest,
  IdempotencyKeyRepository,
  type Idempotency,
  type StoredKey,
} from '@app/jobs';
import { newId } from '@app/kernel';

/** The sender of a request for a change, and its Idempotency-Key. */
export interface ChangeRequest {
  readonly by: Actor;
  readonly idempotency: Idempotency | undefined;
}

/** What a change was about, and what it made; nothing is made by a repeated request. */
export type Outcome<Made> =
  | { readonly id: string; readonly made: Made }
  | { readonly id: string; readonly made: null };

/** The subject of a change: the account that it concerns, and the account or the key that it is about. */
interface Subject {
  readonly id: string;
  readonly accountId: string;
}

/**
 * Makes changes of accounts and keys, each once for an Idempotency-Key of the account of the operator. What is stored with the
 * Idempotency-Key is the id of what was made, never a secret: a repeated request cannot show the secret of a key again.
 */
@Injectable()
export class RepeatableChangesService {
  constructor(
    private readonly transactions: AcceptanceTransactionService,
    private readonly keys: IdempotencyKeyRepository,
  ) {}

  /**
   * Makes a change in a transaction, unless an earlier request with the same Idempotency-Key has made it.
   *
   * @throws AppError those of the change, `idempotency_mismatch`, `idempotency_in_flight`, `overloaded`
   */
  make<Made extends Subject>(
    request: ChangeRequest,
    change: (transaction: Transaction) => Promise<Made>,
  ): Promise<Outcome<Made>> {
    const { idempotency } = request;
    return this.transactions.forOneRequest(idempotency, async (transaction) => {
      const earlier = await this.claim(transaction, request);
      if (earlier) return { id: earlier, made: null };
      const made = await change(transaction);
      if (idempotency) await this.keep(transaction, nameOf(request), made);
      return { id: made.id, made };
    });
  }

  /** Claims the Idempotency-Key. The id of what an earlier request with it was about; undefined for the first one. */
  private async claim(transaction: Transaction, request: ChangeRequest): Promise<string | undefined> {
    const { idempotency } = request;
    if (!idempotency) return undefined;
    const { fingerprint } = idempotency;
    const [earlier] = await this.keys.claim(transaction, [
      { ...nameOf(request), fingerprint, subjectId: newId() },
    ]);
    if (!earlier) return undefined;
    const id = idIn(earlier);
    assertSameRequest(earlier, fingerprint, id);
    return id;
  }

  /** The id of a key is no UUID, which the subject of an Idempotency-Key is. */
  private keep(
    transaction: Transaction,
    name: ReturnType<typeof nameOf>,
    { id, accountId }: Subject,
  ): Promise<void> {
    return this.keys.assign(transaction, { ...name, subjectId: accountId, answer: { id } });
  }
}

function nameOf({ by, idempotency }: ChangeRequest): { accountId: string; key: string } {
  return { accountId: by.account_id ?? '', key: idempotency?.key ?? '' };
}

/** Idempotency-Keys of other requests of the account stand for jobs and the like. */
function idIn({ answer, subjectId }: StoredKey): string {
  const { id } = (answer ?? {}) as { readonly id?: unknown };
  return typeof id === 'string' ? id : subjectId;
}
