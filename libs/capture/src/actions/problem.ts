/** What kept a step from being done. */
export type ProblemKind =
  | 'no_element'
  | 'no_frame'
  | 'hidden'
  | 'disabled'
  | 'read_only'
  | 'covered'
  | 'outside'
  | 'moving'
  | 'detached'
  | 'unknown_selector'
  | 'wrong_element'
  | 'no_option'
  | 'foreign_document'
  | 'not_in_time'
  | 'nothing_to_go_back_to';

/** The kinds that an optional step is passed over for. */
const MISSING: ReadonlySet<ProblemKind> = new Set(['no_element', 'no_frame', 'hidden', 'detached']);

/** A step could not be done. Its message says what was expected and what was there. */
export class StepProblem extends Error {
  override readonly name = 'StepProblem';

  constructor(
    readonly kind: ProblemKind,
    message: string,
  ) {
    super(message);
  }

  get isMissing(): boolean {
    return MISSING.has(this.kind);
  }
}
