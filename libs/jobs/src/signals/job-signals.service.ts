import { EventEmitter } from 'node:events';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { NotificationsService } from '@app/database';
import { SIGNALS, type Signal } from './signals.js';

interface SignalEvents extends Record<Signal, [jobId: string]> {
  /** The connection is up, for the first time or again: signals sent while it was down are lost. */
  connected: [];
}

/** Emits the signals of all processes. Signals are lost while the connection is down, so listeners also poll. */
@Injectable()
export class JobSignalsService extends EventEmitter<SignalEvents> implements OnModuleInit {
  constructor(private readonly notifications: NotificationsService) {
    super();
  }

  async onModuleInit(): Promise<void> {
    // There may be one listener for each open request.
    this.setMaxListeners(0);
    this.notifications.onConnected(() => this.emit('connected'));
    for (const signal of Object.keys(SIGNALS) as Signal[]) {
      await this.notifications.listen(SIGNALS[signal], (jobId) => this.emit(signal, jobId));
    }
  }
}
