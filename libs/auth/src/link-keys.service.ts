import { Injectable } from '@nestjs/common';
import { Clock } from '@app/kernel';
import { LookupCache, type Lookup } from './lookup-cache.js';
import { SigningSecretsService, type SigningKey } from './signing-secrets.service.js';

/** Finds the keys whose secrets verify links. A revoked key or a retired secret stops working within 5 s. */
@Injectable()
export class LinkKeysService {
  private readonly keys: LookupCache<SigningKey>;

  constructor(secrets: SigningSecretsService, clock: Clock) {
    this.keys = new LookupCache(clock, (id) => secrets.find(id));
  }

  /** @param mayLookUp as in `AuthService.authenticate` */
  find(keyId: string, mayLookUp: () => boolean): Promise<Lookup<SigningKey>> {
    return this.keys.find(keyId, mayLookUp);
  }
}
