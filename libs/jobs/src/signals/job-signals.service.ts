import { EventEmitter } from 'node:events';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { NotificationsService } from '@app/database';
import { SIGNALS, type Signal } from './signals.js';

interface SignalEvents extends Record<Signal, [jobId: string]> {
  /** The connection was made (again): what was said meanwhile is not heard any more. */
  connected: [];
}

/** Hears the signals of all processes. One may be missed while the connection is down, so whoever waits also polls. */
@Injectable()
export class JobSignalsService extends EventEmitter<SignalEvents> implements OnModuleInit {
  constructor(private readonly notifications: NotificationsService) {
    super();
  }

  async onModuleInit(): Promise<void> {
    // One listener for each request that waits.
    this.setMaxListeners(0);
    this.notifications.onConnected(() => this.emit('connected'));
    for (const signal of Object.keys(SIGNALS) as Signal[]) {
      await this.notifications.listen(SIGNALS[signal], (jobId) => this.emit(signal, jobId));
    }
  }
}
