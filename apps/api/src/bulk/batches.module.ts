import { Module } from '@nestjs/common';
import { BulkModule } from '@app/bulk';

/** The routes of batches. */
@Module({ imports: [BulkModule] })
export class BatchesModule {}
