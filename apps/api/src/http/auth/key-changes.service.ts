import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { AuthService, KEY_CHANGED } from '@app/auth';
import { NotificationsService } from '@app/database';

/**
 * Reads a key again as soon as any process has changed it, if it was valid here before. A new secret then works at once, also from an
 * address that is throttled, where it would be taken for a guess until the key is looked up again: guesses must not cause look-ups there.
 * A notification that is lost changes nothing but the time: the key is looked up when what is known of it is too old.
 */
@Injectable()
export class KeyChangesService implements OnModuleInit {
  private readonly logger = new Logger(KeyChangesService.name);

  constructor(
    private readonly notifications: NotificationsService,
    private readonly auth: AuthService,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.notifications.listen(KEY_CHANGED, (id) => void this.refresh(id));
  }

  private async refresh(id: string): Promise<void> {
    try {
      await this.auth.refresh(id);
    } catch (error) {
      this.logger.warn(
        { key_id: id, err: error },
        'a key that has changed could not be read; it will be when it is presented',
      );
    }
  }
}
