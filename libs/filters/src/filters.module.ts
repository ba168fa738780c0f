import { Module } from '@nestjs/common';
import { OutboundModule } from '@app/outbound';
import { BundledListsService } from './lists/bundled-lists.service.js';
import { DownloadedListsService } from './lists/downloaded-lists.service.js';
import { FilterCompiler } from './lists/filter-compiler.js';
import { FilterListsService } from './lists/filter-lists.service.js';
import { ListDownloader } from './lists/list-downloader.js';
import { OwnRulesService } from './lists/own-rules.service.js';

/** Provides the filter lists of this process. An invalid setting stops the start; a broken list never does. */
@Module({
  imports: [OutboundModule],
  providers: [
    BundledListsService,
    DownloadedListsService,
    FilterCompiler,
    FilterListsService,
    ListDownloader,
    OwnRulesService,
  ],
  exports: [FilterListsService],
})
export class FiltersModule {}
