import { Module } from '@nestjs/common';
import { BrowserPool } from './browser-pool.js';

/** Gives `BrowserPool`: started before the app is, closed after the worker has drained. */
@Module({ providers: [BrowserPool], exports: [BrowserPool] })
export class BrowserModule {}
