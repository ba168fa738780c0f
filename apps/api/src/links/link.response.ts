import { ApiProperty } from '@nestjs/swagger';
import { nullable, TIME } from '../openapi/schemas.js';

/** A link that `POST /v1/links` made. */
export class SignedLink {
  @ApiProperty({
    type: 'string',
    format: 'uri',
    description:
      'The link. Everyone who has it can see the picture; it may stand in HTML, CSS and Markdown as it is.',
    example:
      'https://capture.example.com/v1/render?key=Jc3n8mQ2xV7bTz5K&url=https%3A%2F%2Fexample.com%2F&expires=1826186130&signature=v1.9mQ4fJ0Q2L7s0m5e0Vh1pXyHn0b7dC3k8aRtUwZlE6o',
  })
  url!: string;

  @ApiProperty(
    nullable('string', {
      format: 'date-time',
      example: TIME.example,
      description: 'When the link expires; null if it does not.',
    }),
  )
  expires_at!: string | null;
}
