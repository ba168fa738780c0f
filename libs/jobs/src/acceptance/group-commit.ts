/** What a `GroupCommit` is told of its work. */
export interface GroupWork<Member, Result> {
  /** Does the work of all members in one transaction; one result for each, in their order. */
  commit(members: readonly Member[]): Promise<readonly Result[]>;
  /** Does the work of one member by itself. */
  commitAlone(member: Member): Promise<Result>;
  /**
   * Whether a rejection of `commit` may be one member's doing and has surely left nothing behind. Any other (a cut
   * connection, say) leaves open what became of the transaction, so none of it may be done again.
   */
  isMembersFault(error: unknown): boolean;
  /** Of one member, in bytes. */
  weigh(member: Member): number;
}

/** Members of one group; more would only make each wait longer for all the others. */
const MAX_MEMBERS = 64;

/** Weight of one group: members are held in memory and sent as one statement. */
const MAX_WEIGHT = 4_194_304;

interface Waiting<Member, Result> {
  readonly member: Member;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Natural group commit: what arrives while a transaction is in flight forms the next one. Alone, a member does not
 * wait for company; under load, one commit serves many. A fault of one member does not reach the others: they are
 * then done one by one, beside the groups that follow.
 */
export class GroupCommit<Member, Result> {
  private waiting: Waiting<Member, Result>[] = [];
  private isBusy = false;

  constructor(private readonly work: GroupWork<Member, Result>) {}

  /** The member's own result, once its transaction has ended. */
  submit(member: Member): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ member, resolve, reject });
      void this.drain();
    });
  }

  private async drain(): Promise<void> {
    if (this.isBusy) return;
    this.isBusy = true;
    while (this.waiting.length > 0) await this.run(this.nextGroup());
    this.isBusy = false;
  }

  private nextGroup(): Waiting<Member, Result>[] {
    let size = 0;
    let weight = 0;
    for (const { member } of this.waiting.slice(0, MAX_MEMBERS)) {
      weight += this.work.weigh(member);
      if (size > 0 && weight > MAX_WEIGHT) break;
      size++;
    }
    return this.waiting.splice(0, size);
  }

  private async run(group: readonly Waiting<Member, Result>[]): Promise<void> {
    try {
      const results = await this.work.commit(group.map(({ member }) => member));
      group.forEach(({ resolve }, i) => {
        resolve(results[i] as Result);
      });
    } catch (error) {
      if (this.work.isMembersFault(error)) this.runAlone(group);
      else for (const { reject } of group) reject(error);
    }
  }

  /** Not waited for: a member that waits for a lock must not hold up those who come after it. */
  private runAlone(group: readonly Waiting<Member, Result>[]): void {
    for (const { member, resolve, reject } of group) this.work.commitAlone(member).then(resolve, reject);
  }
}
