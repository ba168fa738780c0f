/** The values of `cookie_consent`. */
export type ConsentChoice = 'reject' | 'accept' | 'hide';

/** A rule of autoconsent, one of a file or one of its classes. */
export interface Rule {
  readonly name: string;
  readonly isCosmetic: boolean;
  readonly prehideSelectors?: readonly string[];
  readonly runContext?: { readonly urlPattern?: string };
  /** The rule as it stands in its file. */
  readonly rule?: { readonly detectPopup?: readonly RuleStep[] };
  hasMatchingUrlPattern(): boolean;
  detectCmp(): Promise<boolean>;
  detectPopup(): Promise<boolean>;
  optOut(): Promise<boolean>;
  optIn(): Promise<boolean>;
}

export interface RuleStep {
  readonly visible?: string | readonly string[];
  readonly exists?: string | readonly string[];
}

export interface Message {
  readonly type: string;
  readonly id?: string;
  readonly snippetId?: string;
}

export interface AutoConsent {
  readonly rules: readonly Rule[];
  readonly domActions: { hide(selector: string): boolean };
  parseDeclarativeRules(rules: { readonly autoconsent: readonly unknown[] }): void;
  receiveMessageCallback(message: object): Promise<void>;
}

/** The parts of autoconsent that the driver uses. */
export interface ConsentEngine {
  readonly AutoConsent: new (send: (message: Message) => void, config: object) => AutoConsent;
  checkHeuristicPatterns(text: string): { readonly patterns: readonly string[] };
  isExcludedPopup(text: string): boolean;
  classifyButtonTextRegex(text: string): 'reject' | 'settings' | 'accept' | 'acknowledge' | 'other';
}
