import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import type { FilterSet } from '../filter-set.js';
import type { CompiledFilters } from '../rules/compile-filters.js';
import { ListFilterSet } from '../rules/list-filter-set.js';
import { BundledListsService } from './bundled-lists.service.js';
import { DownloadedListsService } from './downloaded-lists.service.js';
import type { ListsState } from './list-state.js';
import { OwnRulesService } from './own-rules.service.js';

/**
 * The filter lists of this process: those that come with the service, or those of FILTER_LISTS_URL, and the operator's
 * own rules. A capture takes the current set once, and keeps it when an update replaces it.
 */
@Injectable()
export class FilterListsService implements OnModuleInit {
  private readonly logger = new Logger(FilterListsService.name);
  private base: CompiledFilters | undefined;
  private own: CompiledFilters | undefined;
  private areDownloaded = false;
  private set: FilterSet = new ListFilterSet();

  constructor(
    private readonly bundled: BundledListsService,
    private readonly downloaded: DownloadedListsService,
    private readonly ownRules: OwnRulesService,
  ) {}

  /** Loads what is on this machine, in a tenth of a second. `refresh` brings in the rest. */
  async onModuleInit(): Promise<void> {
    if (this.downloaded.areConfigured) {
      this.base = await this.downloaded.load().catch(() => undefined);
      this.areDownloaded = this.base !== undefined;
    }
    this.base ??= await this.bundled.load();
    this.own = await this.ownRules.update();
    this.swap();
  }

  current(): FilterSet {
    return this.set;
  }

  /** Until a list of FILTER_LISTS_URL has been downloaded, those that come with the service are in use. */
  state(): ListsState {
    const states = [
      this.areDownloaded ? this.downloaded.state() : this.bundled.state(),
      ...(this.areDownloaded ? [] : [{ lists: [], errors: this.downloaded.state().errors }]),
      this.ownRules.state(),
    ];
    return {
      lists: states.flatMap(({ lists }) => lists),
      errors: states.flatMap(({ errors }) => errors),
    };
  }

  /** Brings the lists up to date. It can be called often: lists are downloaded when they are due. */
  async refresh(signal: AbortSignal): Promise<void> {
    const base = this.downloaded.areConfigured ? await this.downloaded.update(signal) : undefined;
    const own = await this.ownRules.update();
    if (base === undefined && own === undefined) return;
    this.areDownloaded ||= base !== undefined;
    this.base = base ?? this.base;
    this.own = own ?? this.own;
    this.swap();
  }

  private swap(): void {
    this.set = new ListFilterSet(...[this.base, this.own].filter((layer) => layer !== undefined));
    const { lists, errors } = this.state();
    const rules = lists.reduce((sum, list) => sum + list.rules, 0);
    this.logger.log({ lists: lists.length, rules, errors: errors.length }, 'filter lists are in use');
  }
}
