import { fieldsOf, isPlainlyValid, isPlainObject } from '@app/kernel';
import { CaptureOptions } from './capture-options.js';
import { NO_DEFAULTS, type DefaultOptions } from './default-options.js';
import { checkOptionsOver, type OptionSource } from './parse-options.js';

type Given = Readonly<Record<string, unknown>>;

/** Options that are usually different in each row, while the others repeat. */
const VARYING = ['url', 'reference', 'filename'];
const VARYING_FIELDS = fieldsOf(CaptureOptions).filter(({ name }) => VARYING.includes(name));

/** Rows that are remembered, and what is too large for that. */
const MAX_KNOWN = 500;
const MAX_KEY_LENGTH = 4_000;
const MAX_DEPTH = 4;

/**
 * Checks the options of the rows of one batch. The rows of a batch usually state the same options but for their addresses, so a
 * row whose options were found free of faults in another row is not checked again: only its address and its texts are. That holds
 * as long as no rule has read one of these, which is observed while the rules run.
 */
export class RowOptions {
  /** Rows that were checked by every rule. */
  fullChecks = 0;
  private readonly known = new Map<string, OptionSource>();

  /**
   * @param defaults of the batch, free of faults
   * @param operator the defaults of the operator, below those of the batch
   */
  constructor(
    private readonly defaults: Given,
    private readonly operator: DefaultOptions = NO_DEFAULTS,
  ) {}

  /**
   * @returns what `complete` makes the options of
   * @throws AppError `invalid_request` with every fault, as `parseOptionsOver` does
   */
  check(raw: unknown): OptionSource {
    const key = keyOf(raw);
    return this.recall(key, raw as Given) ?? this.checkFully(key, raw);
  }

  private recall(key: string | undefined, raw: Given): OptionSource | undefined {
    const known = key === undefined ? undefined : this.known.get(key);
    if (!known) return undefined;
    const own: Record<string, unknown> = {};
    for (const spec of VARYING_FIELDS) {
      const value = raw[spec.name];
      // What is null is part of the key.
      if (typeof value !== 'string') continue;
      if (!isPlainlyValid(spec, value)) return undefined;
      own[spec.name] = value;
    }
    return { given: { ...known.given, ...own }, defaults: known.defaults };
  }

  private checkFully(key: string | undefined, raw: unknown): OptionSource {
    this.fullChecks++;
    const { defaults, operator } = this;
    let dependsOnRow = false;
    const onRead = (): void => {
      dependsOnRow = true;
    };
    const source = checkOptionsOver(raw, { defaults, operator, watch: { names: VARYING, onRead } });
    if (key === undefined || dependsOnRow) return source;
    if (this.known.size >= MAX_KNOWN) this.known.clear();
    this.known.set(key, source);
    return source;
  }
}

/** The same for rows that differ only in the texts that vary; undefined for a row that is too large to compare. */
function keyOf(raw: unknown): string | undefined {
  if (!isPlainObject(raw) || !isSmall(raw, 0)) return undefined;
  const same: Record<string, unknown> = { ...raw };
  for (const name of VARYING) if (typeof same[name] === 'string') same[name] = '';
  const key = JSON.stringify(same);
  return key.length <= MAX_KEY_LENGTH ? key : undefined;
}

/** Whether the value is small, and no other value has the same JSON. */
function isSmall(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return value.length <= MAX_KEY_LENGTH;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return value !== undefined;
  if (depth === MAX_DEPTH) return false;
  for (const name in value) if (!isSmall(value[name as keyof typeof value], depth + 1)) return false;
  return true;
}
