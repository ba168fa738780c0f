import { Module } from '@nestjs/common';
import { AuthThrottleService } from './auth-throttle.service.js';

/** Throttles addresses whose keys or links are invalid. */
@Module({ providers: [AuthThrottleService], exports: [AuthThrottleService] })
export class AuthThrottleModule {}
