import { Module } from '@nestjs/common';
import { Serving } from './serving.js';

@Module({ providers: [Serving], exports: [Serving] })
export class ServingModule {}
