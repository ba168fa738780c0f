import type { KeyPress } from './keys.js';

/** Which frame of the page a step is about. */
export type FramePath =
  | { readonly selector: string }
  /** The position of each frame in the one around it, the outermost first. */
  | { readonly indexes: readonly number[] };

/** What is typed. */
export type TypedText = { readonly value: string } | { readonly secret: string } | { readonly totp: string };

export type MouseButton = 'left' | 'middle' | 'right';

export type ElementState = 'visible' | 'hidden' | 'attached';

/** A place in an element, in CSS px from its top left corner. */
export interface Offset {
  readonly x: number;
  readonly y: number;
}

/** What a step does. */
export type Work =
  | {
      readonly type: 'click';
      readonly button: MouseButton;
      readonly times: number;
      /** The clicks make one double click. */
      readonly isDouble?: boolean;
      readonly offset?: Offset;
    }
  | { readonly type: 'hover'; readonly offset?: Offset }
  | { readonly type: 'fill'; readonly text: TypedText }
  | { readonly type: 'select'; readonly values: readonly string[] }
  | { readonly type: 'check'; readonly isChecked: boolean }
  /** Gives a field its value, whatever kind of field it is. */
  | { readonly type: 'change'; readonly value: string }
  | {
      readonly type: 'press';
      readonly press: KeyPress;
      /** Half of a press. */
      readonly direction?: 'down' | 'up';
    }
  | { readonly type: 'scroll'; readonly to: ScrollGoal }
  | { readonly type: 'wait'; readonly for: WaitGoal }
  | { readonly type: 'navigate'; readonly url: string }
  | { readonly type: 'reload' }
  | { readonly type: 'back' }
  | { readonly type: 'dialog'; readonly isAccepted: boolean; readonly text: string | undefined };

/** How many elements match. */
export interface Count {
  readonly operator: '>=' | '==' | '<=';
  readonly number: number;
}

export type ScrollGoal =
  /** Brings the element into the window. */
  | { readonly kind: 'element' }
  | { readonly kind: 'by'; readonly y: number }
  | { readonly kind: 'position'; readonly x: number; readonly y: number }
  | { readonly kind: 'top' }
  | { readonly kind: 'bottom' };

export type WaitGoal =
  | { readonly kind: 'time'; readonly ms: number }
  | { readonly kind: 'element'; readonly state: ElementState; readonly count?: Count }
  | { readonly kind: 'function'; readonly expression: string }
  | { readonly kind: 'idle' };

/** One step, whichever option states it. */
export interface Step {
  /** Where the request states it. */
  readonly pointer: string;
  /** Position in the list. */
  readonly index: number;
  readonly work: Work;
  /** Maximum time in ms to find the element in the state that the step needs. */
  readonly timeoutMs: number;
  /** A step without its element is passed over. */
  readonly isOptional: boolean;
  readonly frame: FramePath | undefined;
  /** Selectors of one element, tried in this order; empty for a step about the page. */
  readonly selectors: readonly string[];
}
