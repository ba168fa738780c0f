import { readFile, stat } from 'node:fs/promises';
import { Injectable, Logger } from '@nestjs/common';
import { Env } from '@app/config';
import { FILTER_KINDS, type FilterKind } from '../filter-set.js';
import type { CompiledFilters, ListText } from '../rules/compile-filters.js';
import { FilterCompiler } from './filter-compiler.js';
import { listText } from './list-downloader.js';
import type { ListsState, ListState } from './list-state.js';

const NAME = 'FILTER_RULES_FILE';
const MAX_BYTES = 5 * 1024 * 1024;

/** The operator's own rules: reads FILTER_RULES_FILE again when it has changed, and keeps its last good content. */
@Injectable()
export class OwnRulesService {
  private readonly logger = new Logger(OwnRulesService.name);
  private readonly path: string | undefined;
  /** Time and size of the file that was last looked at. */
  private seen = '';
  private lists: readonly ListState[] = [];
  private error: string | undefined;

  constructor(
    env: Env,
    private readonly compiler: FilterCompiler,
  ) {
    this.path = env.FILTER_RULES_FILE;
  }

  state(): ListsState {
    return { lists: this.lists, errors: this.error === undefined ? [] : [`${NAME}: ${this.error}`] };
  }

  /** Resolves to undefined when nothing has changed; a failure is part of the state. */
  async update(): Promise<CompiledFilters | undefined> {
    if (this.path === undefined) return undefined;
    try {
      const { mtimeMs, mtime, size } = await stat(this.path);
      const state = `${mtimeMs} ${size}`;
      if (state === this.seen) return undefined;
      const compiled = await this.read(this.path, { size, date: mtime.toISOString() });
      this.seen = state;
      return compiled;
    } catch (error) {
      this.report(`it cannot be read (${(error as NodeJS.ErrnoException).code ?? String(error)})`);
      this.seen = '';
      return undefined;
    }
  }

  private async read(
    path: string,
    { size, date }: { size: number; date: string },
  ): Promise<CompiledFilters | undefined> {
    if (size > MAX_BYTES) return this.report(`it is larger than ${MAX_BYTES / 1024 / 1024} MB`);
    const text = listText(await readFile(path));
    if (text === undefined) return this.report('it is no text in UTF-8');
    const sections = sectionsOf(text);
    const { compiled, counts } = await this.compiler.compile(sections);
    const skipped = counts.reduce((sum, each) => sum + each.skipped, 0);
    this.report(
      skipped === 0 ? undefined : `${skipped} of its lines are no rules that the service can apply`,
    );
    this.lists = sections.flatMap(({ kind }, i) => {
      const rules = counts[i]?.rules ?? 0;
      return rules === 0 ? [] : [{ name: NAME, kind, date, rules }];
    });
    return compiled;
  }

  private report(error: string | undefined): undefined {
    if (error !== undefined && error !== this.error)
      this.logger.warn({ reason: error }, `${NAME} has a fault`);
    this.error = error;
  }
}

/** A line such as `! kind: cookies` gives the kind of the rules after it; those before the first are of kind `ads`. */
function sectionsOf(text: string): ListText[] {
  const sections = new Map<FilterKind, string[]>();
  let kind: FilterKind = 'ads';
  for (const line of text.split('\n')) {
    const name = /^!\s*kind:\s*(\w+)\s*$/i.exec(line)?.[1]?.toLowerCase();
    kind = FILTER_KINDS.find((each) => each === name) ?? kind;
    const lines = sections.get(kind) ?? [];
    lines.push(line);
    sections.set(kind, lines);
  }
  return [...sections].map(([each, lines]) => ({ kind: each, text: lines.join('\n') }));
}
