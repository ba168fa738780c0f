/**
 * Who may set an option. Each option says it where it is defined, and there is no default: an option is in no public link
 * and is offered to no model unless its definition allows it. Two attackers decide the choice: one has a signed link of the
 * account, and one writes a page that misleads a model with a key of the account.
 *
 * - `public`: chooses what of a page is shown, how, or for how long it is kept. Its value may be read by everyone, and the
 *   worst that it can do is a useless file. Links take it, and models may set it.
 * - `style`: a style sheet. It is `public` as long as it loads nothing: what a style sheet loads can tell another server what
 *   stands in the page.
 * - `own`: refers to other captures of the account, or decides what the account stores or pays for. Its value is not for the
 *   readers of a link, or each of them would cause its effect. Models may set it: they act for the account.
 * - `answer`: decides what the program that sends the request gets as an answer. The answers of links and of the tools of
 *   models are fixed.
 * - `script`: runs code, acts on the page as a visitor would, or takes protection from the page, in the name of the account.
 * - `secret`: its value is encrypted in the database, deleted when the capture ends, never shown or logged, and no capture with
 *   it is cached.
 */
export type Exposure = 'public' | 'style' | 'own' | 'answer' | 'script' | 'secret';

/** What may be done with an option of an exposure. */
interface ExposureRule {
  /** Whether signed links take the option. `if it loads nothing` is about the value: see `loadsByCss`. */
  readonly inLinks: 'yes' | 'if it loads nothing' | 'no';
  /** Whether models may set the option by MCP. The operator permits more than usual for a key (`--mcp-unsafe`). */
  readonly byModels: 'yes' | 'if it loads nothing or is permitted' | 'if permitted' | 'no';
  /** What the documentation says. */
  readonly doc: string;
}

/** The rules of links, models and documentation. */
export const EXPOSURE_RULES = {
  public: {
    inLinks: 'yes',
    byModels: 'yes',
    doc: 'everyone: it chooses what is shown of a page, and how',
  },
  style: {
    inLinks: 'if it loads nothing',
    byModels: 'if it loads nothing or is permitted',
    doc: 'everyone, as long as it loads nothing but `data:` URLs: what it loads can tell another server what the page holds',
  },
  own: {
    inLinks: 'no',
    byModels: 'yes',
    doc: 'the account: it is about other captures, or about what is stored and charged',
  },
  answer: {
    inLinks: 'no',
    byModels: 'no',
    doc: 'programs that call the API: it decides what they get as an answer',
  },
  script: {
    inLinks: 'no',
    byModels: 'if permitted',
    doc: 'trusted callers: it runs code, acts on the page, or takes protection from it',
  },
  secret: {
    inLinks: 'no',
    byModels: 'if permitted',
    doc: 'trusted callers: its value is encrypted, deleted when the capture ends, and never shown, logged or cached',
  },
} as const satisfies Record<Exposure, ExposureRule>;
