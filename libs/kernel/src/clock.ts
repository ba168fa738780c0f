/** Wall-clock time, injected so that tests can set it. Leases use the database's clock instead. */
export abstract class Clock {
  abstract now(): Date;
}

export class SystemClock extends Clock {
  now(): Date {
    return new Date();
  }
}

/** A clock for tests: it stands still until it is set. */
export class ManualClock extends Clock {
  constructor(private at: Date) {
    super();
  }

  now(): Date {
    return new Date(this.at);
  }

  set(at: Date): void {
    this.at = at;
  }
}
