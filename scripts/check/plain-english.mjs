/**
 * Phrases that readers have to read twice, each with what to write instead. Public texts are checked by
 * test/operations/public-texts.spec.ts; comments, messages and test titles by the lint rule `house/plain-english`.
 */
export const REFUSED = [
  [/\bfor ever\b/i, 'endlessly, permanently, without limit, in total'],
  [/\b(anew|lest|lately|asunder)\b/i, 'again; so that … not; recently'],
  [/\bmend(s|ed|ing)?\b/i, 'fix, correct'],
  [/\bat the (most|least)\b/i, 'at most, at least'],
  [
    /(?<!\b(?:anyone|those|(?:call|us)ers?|clients?|operators?|receivers?) )\bwho (comes|waits|asks|wants|calls|hung up)\b/i,
    'a caller, a client that …',
  ],
  [/\bwhoever\b/i, 'anyone who, a client that'],
  [/\b(is|are|was|were|be|been) (not )?told\b(?! (apart|from|by))/i, 'receives, is notified'],
  [/\btold until heard\b/i, 'delivered at least once'],
  [/\b(is|are|was|were) to have\b/i, 'must have, needs'],
  [/\bas good as (dead|gone)\b/i, 'considered dead'],
  [/\bsays? nothing\b(?! (about|of|more|else))/i, 'means the default, is silent'],
  [/\ball else\b/i, 'everything else'],
  [/\bbut for (a|an|the|its|those)\b/i, 'except'],
  [/, for (it|they|he|there|nobody|nothing|neither)\b/, 'because'],
  [/\bpassing (fault|reason)s?\b/i, 'transient error'],
  [/\b(gives? way|not to be had|letter by letter)\b/i, 'a word of the field'],
  [/\bas long as [A-Z_]+ says\b/, 'for `NAME` seconds'],
  [/\b(Least level|Begin of|each item must)\b/i, 'minimum, start, must have items'],
  [/\btried again by (itself|themselves)\b/i, 'retried automatically'],
  [/\bshaky\b/i, 'flaky'],
  [/\bsomebody\b/i, 'another process, a caller'],
  [/\bwhat (became|becomes|comes|came) of\b/i, 'the result, the outcome'],
  [/\bcondemn(s|ed)?\b/i, 'mark unusable'],
  [/\b1 \w+ are\b|\bhas 1 \w+s\b/, 'the singular'],
  [/(^|[.:;!?|*-] )Of (an?|the|each|all|what|one|such) /, 'the subject first'],
  [/(^|[.:;!?|*-] )For how long\b/, 'a full sentence'],
  [/\bis what it said last\b/i, 'may be out of date'],
  [/\bthe \w+er or the \w+er one\b|\bthe (first|last) one that is\b/i, 'the noun instead of "one"'],
  [/(^|[.:;!?|*-] )Marked: /, 'a full sentence'],
  [/\bNo other \w+ signs\b/i, 'is the only secret in use'],
  [/\btimes are those of\b/i, 'times are in'],
  [/\band (its|their) like\b/i, 'and similar options, the options of …'],
  [/\bof (it|them) per\b/i, 'what is counted, per what: captures per hour and core'],
  [/\breckon(s|ed|ing)?\b/i, 'compute, count'],
  [/\bdo(es)? what (its|their) names? says?\b/i, 'what it does'],
  [/\bmarked as reading only\b/i, 'read-only, the name of the annotation'],
  [/— not for this\b/i, 'which formats have it'],
];

/**
 * Names of functions, methods and types that do not say what they do, each with what to write instead. A function is named by a
 * verb and what the verb acts on: `claimNext`, `popHint`, `acquireSlot`. Checked by the lint rule `house/plain-names`.
 */
export const REFUSED_NAMES = [
  [
    /^(of|all|at|in|on|as|by|to|it|that|own|away|below|above|around|during|within|without|through)$/,
    'a verb and what it acts on, or what is returned: `recordOf`, `recordsOf`, `runTraced`',
  ],
  [
    /^(take|give|go|do|obey|steer|learn|lead|leads|asks|holds|fits)$/,
    'what is taken, given, asked …: `takeTokens`',
  ],
  [/^(attend|withdraw|tidy|doom|condemn|mend)/, 'the word of the field: await, cancel, remove, mark, fix'],
  [/^isPassing|Passing$/, '`isTransient`'],
  [/^[uU]nmetered$|^[cC]lues$|^[sS]ending$/, 'what it is: `PageSigns`, `DeliveryAttempt`'],
];

/** @returns what to write instead of a name, or undefined when it may stay */
export function betterName(name) {
  return REFUSED_NAMES.find(([refused]) => refused.test(name))?.[1];
}

/** @returns for each refused phrase of a text, the phrase, the words around it and what to write */
export function refusedIn(text) {
  const prose = text.replace(/\s+/g, ' ').trim();
  return REFUSED.flatMap(([phrase, instead]) => {
    const found = phrase.exec(prose);
    if (!found) return [];
    const around = prose.slice(Math.max(0, found.index - 30), found.index + found[0].length + 30);
    return [`"${found[0].trim()}" in "${around.trim()}": write "${instead}"`];
  });
}

/** The text of a block comment without the stars of its lines. */
export const proseOf = (comment) => comment.replace(/^\s*\*+(?!\*)/gm, ' ');
