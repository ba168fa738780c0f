import { ApiProperty } from '@nestjs/swagger';
import { nullable } from '../openapi/schemas.js';

export class ServiceVersion {
  @ApiProperty({ type: 'string', example: 'v1' })
  api_version!: string;

  @ApiProperty({ type: 'string', example: '0.1.0' })
  version!: string;

  @ApiProperty(nullable('string'))
  commit!: string | null;

  @ApiProperty(nullable('string', { format: 'date-time' }))
  built_at!: string | null;

  @ApiProperty({ type: 'string', example: 'v24.21.0' })
  node!: string;

  @ApiProperty(nullable('string', { description: 'Browser of a worker; null while no worker is alive.' }))
  browser!: string | null;
}
