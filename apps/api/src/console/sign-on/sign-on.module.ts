import { Module } from '@nestjs/common';
import { AuthModule } from '@app/auth';
import { Env, secretBoxOf } from '@app/config';
import { DatabaseModule } from '@app/database';
import { SecretBox } from '@app/kernel';
import { UsageModule } from '@app/usage';
import { HttpModule } from '../../http/http.module.js';
import { IdentityProviderService } from './identity-provider.service.js';
import { ProviderLogOutService } from './provider-log-out.service.js';
import { SignOnCookieService } from './sign-on-cookie.service.js';
import { SignOnKeysService } from './sign-on-keys.service.js';
import { SignOnSessionsService } from './sign-on-sessions.service.js';
import { SignOnSettings } from './sign-on-settings.js';
import { SignOnController } from './sign-on.controller.js';
import { SignOnService } from './sign-on.service.js';

/** Single sign-on of the console, where OIDC_ISSUER is set. A setting that is not valid stops the start. */
@Module({
  imports: [AuthModule, DatabaseModule, HttpModule, UsageModule],
  controllers: [SignOnController],
  providers: [
    IdentityProviderService,
    ProviderLogOutService,
    SignOnCookieService,
    SignOnKeysService,
    SignOnService,
    SignOnSessionsService,
    { provide: SecretBox, inject: [Env], useFactory: secretBoxOf },
    { provide: SignOnSettings, inject: [Env], useFactory: (env: Env) => new SignOnSettings(env) },
  ],
})
export class SignOnModule {}
