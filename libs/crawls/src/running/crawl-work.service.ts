import { Injectable } from '@nestjs/common';
import { DiscoveryService } from './discovery.service.js';
import { FeedingService } from './feeding.service.js';
import { ReadingService } from './reading.service.js';

/** The kinds of work that steps consist of. */
@Injectable()
export class CrawlWorkService {
  constructor(
    readonly discovery: DiscoveryService,
    readonly reading: ReadingService,
    readonly feeding: FeedingService,
  ) {}
}
