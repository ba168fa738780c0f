import { ApiProperty } from '@nestjs/swagger';
import { nullable } from '../openapi/schemas.js';

export class FilterListVersion {
  @ApiProperty({ type: 'string', example: 'AdGuard Base filter' })
  name!: string;

  @ApiProperty({
    type: 'string',
    enum: ['ads', 'trackers', 'chats', 'annoyances', 'cookies'],
    description: 'The option that it is for: `block_<kind>`, or `block_cookie_banners`.',
  })
  kind!: string;

  @ApiProperty(
    nullable('string', {
      format: 'date-time',
      description: 'When the list was last changed, or downloaded.',
    }),
  )
  date!: string | null;

  @ApiProperty({ type: 'integer', example: 125441 })
  rules!: number;
}

export class ServiceVersion {
  @ApiProperty({ type: 'string', example: 'v1' })
  api_version!: string;

  @ApiProperty({ type: 'string', example: '0.2.0' })
  version!: string;

  @ApiProperty(nullable('string'))
  commit!: string | null;

  @ApiProperty(nullable('string', { format: 'date-time' }))
  built_at!: string | null;

  @ApiProperty({ type: 'string', example: 'v24.21.0' })
  node!: string;

  @ApiProperty(nullable('string', { description: 'Browser of a worker; null while no worker is alive.' }))
  browser!: string | null;

  @ApiProperty({
    type: [FilterListVersion],
    nullable: true,
    description: 'Filter lists of a worker; null while no worker is alive.',
  })
  filter_lists!: FilterListVersion[] | null;
}
