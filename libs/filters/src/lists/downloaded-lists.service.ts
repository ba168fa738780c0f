import { join } from 'node:path';
import { Injectable, Logger } from '@nestjs/common';
import { Env } from '@app/config';
import { Clock } from '@app/kernel';
import {
  COMPILED_VERSION,
  type CompiledFilters,
  type CompiledLists,
  type RuleCounts,
} from '../rules/compile-filters.js';
import { FilterCompiler } from './filter-compiler.js';
import { ListDownloader, type ListDownload } from './list-downloader.js';
import { readListHeader } from './list-header.js';
import { readListSources, type ListSource } from './list-sources.js';
import type { ListsState } from './list-state.js';
import { ListStore, sha256, type StoredList } from './list-store.js';

/** Lists are asked for once a day, and an hour after a failure. */
const PERIOD_MS = 24 * 60 * 60_000;
const RETRY_MS = 60 * 60_000;

interface Entry {
  readonly source: ListSource;
  stored?: StoredList | undefined;
  /** Only when it could not be written to disk. */
  text?: string | undefined;
  error?: string | undefined;
}

type Changed = Extract<ListDownload, { kind: 'changed' }>;

/** The lists of FILTER_LISTS_URL: downloads them, and keeps the last good content of each. */
@Injectable()
export class DownloadedListsService {
  private readonly logger = new Logger(DownloadedListsService.name);
  private readonly entries: readonly Entry[];
  private readonly store: ListStore;
  private dueAt = -Infinity;

  /** @throws InvalidEnvironmentError */
  constructor(
    env: Env,
    private readonly clock: Clock,
    private readonly downloader: ListDownloader,
    private readonly compiler: FilterCompiler,
  ) {
    this.entries = readListSources(env.FILTER_LISTS_URL).map((source) => ({ source }));
    this.store = new ListStore(join(env.DATA_DIR, 'filter-lists'));
  }

  get areConfigured(): boolean {
    return this.entries.length > 0;
  }

  state(): ListsState {
    return {
      lists: this.entries.flatMap(({ source: { kind }, stored }) =>
        stored === undefined
          ? []
          : [{ name: stored.name, kind, date: stored.date, rules: stored.counts.rules }],
      ),
      errors: this.entries.flatMap(({ source, error }) =>
        error === undefined ? [] : [`${source.label}: ${error}`],
      ),
    };
  }

  /** Reads what is kept on disk, without network. Resolves to undefined when that is nothing. */
  async load(): Promise<CompiledFilters | undefined> {
    for (const entry of this.entries) entry.stored = await this.store.read(entry.source.url);
    if (this.entries.every(({ stored }) => stored === undefined)) return undefined;
    const checks = this.entries.map(({ stored }) => Date.parse(stored?.checkedAt ?? '') || -Infinity);
    this.dueAt = Math.min(...checks) + PERIOD_MS;
    const kept = await this.store.readCompiled(this.key());
    if (kept !== undefined) return kept;
    const { compiled } = await this.compile(new Map());
    await this.keep(() => this.store.writeCompiled(this.key(), compiled));
    return compiled;
  }

  /** Downloads the lists if it is time. Resolves to undefined when nothing has changed; a failure is part of the state. */
  async update(signal: AbortSignal): Promise<CompiledFilters | undefined> {
    const now = this.clock.now();
    if (now.getTime() < this.dueAt) return undefined;
    const changed = new Map<Entry, Changed>();
    await Promise.all(
      this.entries.map(async (entry) => {
        const { url } = entry.source;
        const download = await this.downloader.download(url, entry.stored?.validators ?? {}, signal);
        this.report(entry, download.kind === 'failed' ? download.reason : undefined);
        if (download.kind === 'changed') changed.set(entry, download);
        if (download.kind === 'unchanged') await this.confirm(entry, now);
      }),
    );
    const compiled = await this.adopt(changed, now);
    const hasFailed = this.entries.some(({ error }) => error !== undefined);
    this.dueAt = now.getTime() + (hasFailed ? RETRY_MS : PERIOD_MS);
    return compiled;
  }

  /** Compiles the lists with those that have changed; one of these that is no good is left out. */
  private async adopt(changed: Map<Entry, Changed>, now: Date): Promise<CompiledFilters | undefined> {
    while (changed.size > 0) {
      const result = await this.compile(changed).catch((error: unknown) => error as Error);
      const bad = [...changed.keys()].filter((entry) => {
        const counts = result instanceof Error ? undefined : result.countsOf.get(entry);
        const fault = counts ? faultOfList(counts, entry.stored?.counts) : 'it could not be compiled';
        if (fault !== undefined) this.report(entry, fault);
        return fault !== undefined;
      });
      bad.forEach((entry) => changed.delete(entry));
      if (bad.length > 0 || result instanceof Error) continue;
      for (const [entry, download] of changed) await this.replace(entry, download, { result, now });
      await this.keep(() => this.store.writeCompiled(this.key(), result.compiled));
      return result.compiled;
    }
    return undefined;
  }

  private async compile(
    changed: ReadonlyMap<Entry, Changed>,
  ): Promise<{ compiled: CompiledFilters; countsOf: Map<Entry, CompiledLists['counts'][number]> }> {
    const texts = await Promise.all(
      this.entries.map(async (entry) => {
        const { source, stored } = entry;
        const kept = entry.text ?? (stored && (await this.store.readText(source.url, stored)));
        return { entry, kind: source.kind, text: changed.get(entry)?.text ?? kept ?? '' };
      }),
    );
    const { compiled, counts } = await this.compiler.compile(texts.map(({ kind, text }) => ({ kind, text })));
    return {
      compiled,
      countsOf: new Map(texts.map(({ entry }, i) => [entry, counts[i] ?? { rules: 0, skipped: 0 }])),
    };
  }

  private async replace(
    entry: Entry,
    { text, validators }: Changed,
    { result, now }: { result: { countsOf: Map<Entry, CompiledLists['counts'][number]> }; now: Date },
  ): Promise<void> {
    const { title, date } = readListHeader(text);
    const stored: StoredList = {
      sha256: sha256(text),
      name: title ?? entry.source.label,
      date: date ?? now.toISOString(),
      counts: result.countsOf.get(entry) ?? { rules: 0, skipped: 0 },
      validators,
      checkedAt: now.toISOString(),
    };
    entry.stored = stored;
    const isKept = await this.keep(() => this.store.write(entry.source.url, stored, text));
    entry.text = isKept ? undefined : text;
  }

  private async confirm(entry: Entry, now: Date): Promise<void> {
    if (entry.stored === undefined) return;
    const stored = { ...entry.stored, checkedAt: now.toISOString() };
    entry.stored = stored;
    await this.keep(() => this.store.write(entry.source.url, stored));
  }

  /** Resolves to whether it could be written; the lists are used all the same. */
  private async keep(write: () => Promise<void>): Promise<boolean> {
    try {
      await write();
      return true;
    } catch (error) {
      this.logger.warn({ err: error }, 'downloaded filter lists could not be kept on disk');
      return false;
    }
  }

  private report(entry: Entry, error: string | undefined): void {
    if (error !== undefined && error !== entry.error) {
      this.logger.warn(
        { list: entry.source.label, reason: error, kept: entry.stored?.date ?? null },
        'a filter list could not be updated; its last good content stays in use',
      );
    }
    entry.error = error;
  }

  /** Identifies the lists at hand and the version of the compiler. */
  private key(): string {
    const lists = this.entries.map(({ source, stored }) => `${source.kind} ${stored?.sha256 ?? ''}`);
    return sha256([COMPILED_VERSION, ...lists].join('\n'));
  }
}

/** Of AdGuard's lists, which have much syntax that is of no use here, at least three of four lines are rules. */
const MIN_SHARE = 0.2;
/** A list that keeps fewer of its rules has been cut, or is another one. */
const MIN_SHARE_KEPT = 0.1;
/** Shorter lists may change as they like. */
const MIN_RULES_COMPARED = 1_000;

/** Why a downloaded list is no good; undefined when it is. */
function faultOfList({ rules, skipped }: RuleCounts, before: RuleCounts | undefined): string | undefined {
  if (rules === 0) return 'it has no rules';
  if (rules < MIN_SHARE * (rules + skipped)) return `only ${rules} of its ${rules + skipped} lines are rules`;
  if (before === undefined || before.rules < MIN_RULES_COMPARED) return undefined;
  return rules < MIN_SHARE_KEPT * before.rules
    ? `it has ${rules} rules instead of ${before.rules}`
    : undefined;
}
