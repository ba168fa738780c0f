/** How it ended that the time of a page passed. */
export interface MotionEnd {
  /**
   * - `rest`: nothing moves any more
   * - `endless`: something moves for longer than animations take
   * - `loading`: the page has requested something, and time passes as usual
   */
  readonly end: 'rest' | 'endless' | 'loading';
  /** So much time of the page has passed at most. */
  readonly passedMs: number;
  /** Time of the page since its main document has changed. */
  readonly quietMs: number;
  /** A page whose frames are expensive gets fewer of them, so that what it draws may take longer. */
  readonly isCoarse: boolean;
}

/** What an option does with what moves. */
export interface AnimationControl {
  readonly mode: 'finish' | 'freeze';
  /** The name of the events with orders to the time of the page. */
  readonly type: string;
  /** Whether something moves in the embedded frames. */
  isFrameMoving(): Promise<boolean>;
  /** Lets the time of the page pass until nothing moves, or for as long as animations take. */
  finish(hasFrames: boolean): Promise<MotionEnd>;
  /** Stops what moves where it is. */
  freeze(): Promise<void>;
  /** Lets what `freeze` has stopped go on. */
  release(): Promise<void>;
}
