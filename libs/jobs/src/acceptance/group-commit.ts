/** The work that a `GroupCommit` does for its members. */
export interface GroupWork<Member, Result> {
  /** Does the work of all members in one transaction; returns one result for each, in their order. */
  commit(members: readonly Member[]): Promise<readonly Result[]>;
  /** Does the work of one member by itself. */
  commitAlone(member: Member): Promise<Result>;
  /**
   * Whether one member may have caused a rejection of `commit` that certainly left nothing behind. After any other
   * rejection, such as a cut connection, the transaction may have committed, so its work must not be repeated.
   */
  isMembersFault(error: unknown): boolean;
  /** The size of a member in bytes. */
  weigh(member: Member): number;
}

/** Members of one group; a larger group would only make each member wait longer for the others. */
const MAX_MEMBERS = 64;

/** Bytes of one group: its members are held in memory and sent as one statement. */
const MAX_WEIGHT = 4_194_304;

interface Waiting<Member, Result> {
  readonly member: Member;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Natural group commit: the members that arrive while a transaction is in flight share the next one. A member that
 * arrives alone is committed at once; under load one commit serves many. When one member makes its group fail, each
 * member of the group is committed by itself, in parallel with the groups that follow.
 */
export class GroupCommit<Member, Result> {
  private waiting: Waiting<Member, Result>[] = [];
  private isBusy = false;

  constructor(private readonly work: GroupWork<Member, Result>) {}

  /** Returns the member's own result once its transaction has ended. */
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

  /** Does not await the members: one that waits for a lock must not hold up those that come after it. */
  private runAlone(group: readonly Waiting<Member, Result>[]): void {
    for (const { member, resolve, reject } of group) this.work.commitAlone(member).then(resolve, reject);
  }
}
