import { createPostgresAuditSink } from '@sallyport/audit-log/postgres';
import { authTokens } from '@sallyport/auth-tokens';
import { loginPolicyParameters } from '@sallyport/login-policy';
import fastify from 'fastify';
import type { Config } from '../../config/config.js';
import { accountTables } from '../../modules/accounts/index.js';
import { auditChain } from '../../modules/audit-records/index.js';
import { openPolicies } from '../../modules/login-policy/index.js';
import {
  createFactorFailures,
  type FactorCommand,
  type FactorCommandResult,
  openFactorEngines,
  runFactorCommand,
} from '../../modules/second-factors/index.js';
import { sessionParameters } from '../../modules/sessions/index.js';
import { storedParameters } from '../../preflight/stored-parameters.js';
import { lifetimesByAudience } from '../../protection/request-protection-options.js';
import { loadTokenKeys } from '../../protection/token-keys.js';
import { createChanges } from '../../storage/changes.js';
import type { Resources } from '../../storage/opened-resources.js';
import { createSessionEnds } from '../../storage/session-ends.js';

/** Makes the function with which the work runs commands on the databases themselves, and closes them after it. */
export async function openAndRun<Result>(
  { openResources }: { readonly openResources: (config: Config) => Promise<Resources> },
  config: Config,
  work: (run: (request: FactorCommand) => Promise<FactorCommandResult>) => Promise<Result>,
): Promise<Result> {
  const { database, stores, redis, close } = await openResources(config);
  // Ends sessions as the server does. It listens nowhere.
  const app = fastify({ logger: false });
  try {
    const parameters = storedParameters(database);
    await app.register(authTokens, {
      ...(await loadTokenKeys(config)),
      store: stores.sessions,
      ends: createSessionEnds(database, { isApart: redis !== null }),
      issuer: config['auth.token.issuer'],
      lifetimes: async () => lifetimesByAudience(await parameters.read(sessionParameters)),
    });
    await app.ready();
    const readPolicy = () => parameters.read(loginPolicyParameters);
    const policies = openPolicies({ config, store: stores.sessions, readPolicy });
    // The server makes the checkpoint which covers the record.
    const sink = createPostgresAuditSink(await auditChain(config, database));
    const { openEngines, keys, accounts } = await openFactorEngines({
      ...{ config, database, accounts: accountTables, store: stores.sessions },
      log: app.log,
    });
    const dependencies = {
      ...{ config, openEngines, keys, find: accounts.findByName },
      failures: createFactorFailures(stores.sessions, { log: app.log, noteLock: () => {} }),
      changes: createChanges(database, sink, () => {}),
      authTokens: app.authTokens,
      policies,
    };
    const result = await work((request) => runFactorCommand(dependencies, request));
    await sink.close();
    return result;
  } finally {
    await app.close();
    await close();
  }
}
