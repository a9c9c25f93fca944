import { type App, defineModule, notCommitted } from '../../http/module.js';
import { definePermissions } from '../../http/permission-group.js';
import { type FactorAdministrationDependencies, factorAdministrationRoutes } from './administration-routes.js';
import { secondFactorOperations } from './docs.js';
import { type OwnFactorRouteDependencies, ownFactorRoutes } from './own-factor-routes.js';
import { factorParameterTables } from './parameters.js';

export type { AccountTables } from './accounts.js';
export { PasskeysNotConfiguredError } from './errors.js';
export {
  type AccountFactorCommand,
  type AccountFactorResult,
  type FactorCommand,
  type FactorCommandResult,
  type ReencryptCommand,
  runFactorCommand,
  serveFactorCommand,
} from './factor-command.js';
export { createFactorFailures } from './failures.js';
export type { OwnFactorRouteDependencies } from './own-factor-routes.js';
export type { FactorOwner } from './owner.js';
export { factorParameters, factorPolicyOf } from './parameters.js';
export { isEnrolledQuery } from './presence.js';
export type { ReencryptedBatch } from './reencryption.js';
export { forgetFactors } from './reset.js';
export {
  type FactorParts,
  type FactorProof,
  openFactorEngines,
  openSecondFactors,
  type SecondFactorService,
} from './service.js';

const permissions = definePermissions({
  title: { en: 'Second factors', 'zh-CN': '第二因素' },
  permissions: {
    'api:admin:second-factors:reset-administrators': {
      en: 'Reset the second factors of administrators, and issue enrolment codes',
      'zh-CN': '重置管理员的第二因素并签发绑定码',
    },
    'api:admin:second-factors:reset-app-users': {
      en: 'Reset the second factors of app users, and issue enrolment codes',
      'zh-CN': '重置 App 用户的第二因素并签发绑定码',
    },
  },
});

export const secondFactors = defineModule({
  name: 'second-factors',
  permissions,
  parameters: factorParameterTables,
  outcomes: {
    'second-factor.reset': notCommitted,
    'second-factor.enrol': notCommitted,
    'second-factor.remove': notCommitted,
  },
  tags: { 'Second factors': 'Authenticator apps, passkeys and recovery codes.' },
  operations: secondFactorOperations,
  async routes(app: App, dependencies: OwnFactorRouteDependencies & FactorAdministrationDependencies) {
    await ownFactorRoutes(app, dependencies);
    await factorAdministrationRoutes(app, dependencies);
  },
});
