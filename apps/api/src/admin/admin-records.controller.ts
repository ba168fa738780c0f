import { Controller, Get, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { AuditRepository } from '@app/audit';
import type { Response } from 'express';
import { NeedsScope } from '../http/auth/scope.js';
import { pageOf } from '../http/page.query.js';
import { queryOf } from '../http/parse.pipe.js';
import { DocumentsAdminUsage, DocumentsAudit } from './admin.docs.js';
import { AdminUsageQuery, auditFilterOf, AuditQuery } from './admin.query.js';
import { toAuditList, type AuditList } from './audit.response.js';
import { UsageExportService } from './usage-export.service.js';

/** What happened: the usage of accounts, and what operators changed. */
@ApiTags('Operators')
@Controller('v1/admin')
@NeedsScope('admin')
export class AdminRecordsController {
  constructor(
    private readonly usage: UsageExportService,
    private readonly audit: AuditRepository,
  ) {}

  @Get('usage')
  @DocumentsAdminUsage()
  async showUsage(
    @Query(queryOf(AdminUsageQuery)) query: AdminUsageQuery,
    @Res() response: Response,
  ): Promise<void> {
    if (query.format === 'csv') await this.usage.sendCsv(query, response);
    else response.json(await this.usage.list(query));
  }

  @Get('audit')
  @DocumentsAudit()
  async listAudit(@Query(queryOf(AuditQuery)) query: AuditQuery): Promise<AuditList> {
    return toAuditList(await this.audit.list(auditFilterOf(query), pageOf(query)));
  }
}
