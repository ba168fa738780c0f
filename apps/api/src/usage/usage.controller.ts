import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { UsageService, type Usage } from '@app/usage';
import { DocumentsUsage } from './usage.docs.js';
import { AccountId } from '../http/auth/caller.js';

@ApiTags('Service')
@Controller('v1/usage')
export class UsageController {
  constructor(private readonly usage: UsageService) {}

  @Get()
  @DocumentsUsage()
  report(@AccountId() accountId: string): Promise<Usage> {
    return this.usage.report(accountId);
  }
}
