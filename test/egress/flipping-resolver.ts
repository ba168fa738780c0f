import { Resolver, UnknownNameError } from '@app/outbound';

/** A name server that answers a name with the next of its answers each time; the last one stays. */
export class FlippingResolver extends Resolver {
  readonly asked: string[] = [];
  readonly names = new Map<string, string[][]>();
  /** What a name fails with instead of an answer, by name. */
  readonly failures = new Map<string, Error>();

  resolve(host: string): Promise<string[]> {
    this.asked.push(host);
    const failure = this.failures.get(host);
    if (failure) return Promise.reject(failure);
    const answers = this.names.get(host) ?? [];
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    return answer ? Promise.resolve(answer) : Promise.reject(new UnknownNameError(host));
  }
}
