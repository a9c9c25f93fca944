// Longer than 300 lines: it composes every part of the server, and each is a few lines.
import fastifyRedis from '@fastify/redis';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import { createAuditSettlement } from '@sallyport/audit-log/postgres';
import type { StoreClock } from '@sallyport/ttl-store';
import fastify, { type FastifyInstance } from 'fastify';
import { type Config, inVariables } from './config/config.js';
import { boundCloseHooks } from './http/bounded-close.js';
import { answerError, refuseUnknownPath } from './http/error-response.js';
import { gracefulStop } from './http/graceful-stop.js';
import { httpServerOptions } from './http/http-server.js';
import { readJsonBodies } from './http/json-body.js';
import { requestLog } from './http/logging.js';
import { type App, catalogOf, type Module, ticketPurposesOf } from './http/module.js';
import type { NamedPermissionGroup } from './http/permission-group.js';
import { accountTables, renewalBy } from './modules/accounts/index.js';
import { activity, activityRegistry, countRecords, createSourceAccounts } from './modules/activity/index.js';
import {
  type Administrators,
  administrators,
  createAccessControl,
  createAdministrators,
  grantsQuery,
  isAccessSettled,
  normalizeUsername,
  passwordDutyOf,
  prepareAccounts,
  rehearse,
} from './modules/administrators/index.js';
import { apiDocs, apiDocsPage } from './modules/api-docs/index.js';
import {
  type AppUserNames,
  appPasswordDutyOf,
  appUsers,
  createAppUserNames,
  createAppUsers,
} from './modules/app-users/index.js';
import {
  auditRecords,
  checkpointPublicKeys,
  deliverAuditRecords,
  openAuditSink,
  type VerificationRouteDependencies,
  verifyOwnLog,
} from './modules/audit-records/index.js';
import { captcha, createPurposeCaptchas, type PurposeCaptchas, withoutExternal } from './modules/captcha/index.js';
import { adminConsole } from './modules/console/index.js';
import { encryption } from './modules/encryption/index.js';
import { files } from './modules/files/index.js';
import { health, healthRegistry, type Pings } from './modules/health/index.js';
import { idempotencyKeys } from './modules/idempotency-keys/index.js';
import { createSignInNotes, inactivity } from './modules/inactivity/index.js';
import { loginPolicy, serveUnlock } from './modules/login-policy/index.js';
import { metrics, metricsRegistry } from './modules/metrics/index.js';
import { notifications } from './modules/notifications/index.js';
import { type MessageServices, oneTimeCodes, openMessageServices } from './modules/one-time-codes/index.js';
import { dynamicParameters, parameters } from './modules/parameters/index.js';
import { openOwnHashing, type PasswordHashing, passwordLimitParameters, passwords } from './modules/passwords/index.js';
import { payments } from './modules/payments/index.js';
import { profile } from './modules/profile/index.js';
import { type AccessControl, roles } from './modules/roles/index.js';
import {
  type FactorParts,
  forgetFactors,
  type OwnFactorRouteDependencies,
  openSecondFactors,
  type SecondFactorService,
  secondFactors,
  serveFactorCommand,
} from './modules/second-factors/index.js';
import { createSecondStep, factorDutyOf, type SecondStep, secondStep } from './modules/second-step/index.js';
import { readLifetimes, sessions } from './modules/sessions/index.js';
import { signIn } from './modules/sign-in/index.js';
import { tickets } from './modules/tickets/index.js';
import { openChecked } from './preflight/start-check.js';
import { createFinishingFence } from './protection/end-access.js';
import { createPasswordDuty } from './protection/password-duty.js';
import { requestProtection } from './protection/request-protection.js';
import { openSessionClock, requestProtectionOptions } from './protection/request-protection-options.js';
import { type Changes, createChanges } from './storage/changes.js';
import { type ContentLedger, createContentLedger } from './storage/content-ledger.js';
import type { ReadableDatabase } from './storage/database.js';
import type { Resources, Stores } from './storage/opened-resources.js';
import { openResources } from './storage/resources.js';
import { createSessionEnds } from './storage/session-ends.js';
import { pingsOf } from './storage/store-pings.js';

export type { App };

/** The dependencies that a module may request. None of them can write to the database outside of a change (AUD-8). */
interface Dependencies extends MessageServices {
  readonly config: Config;
  readonly database: ReadableDatabase;
  readonly changes: Changes;
  readonly contentLedger: ContentLedger;
  readonly stores: Pick<Stores, 'sessions'>;
  readonly pings: Pings;
  readonly clock: StoreClock;
  readonly administrators: Administrators;
  readonly appUserNames: AppUserNames;
  readonly access: AccessControl;
  readonly permissionGroups: readonly NamedPermissionGroup[];
  readonly passwords: PasswordHashing;
  readonly secondFactors: SecondFactorService & FactorParts;
  readonly rehearse: typeof rehearse;
  readonly forgetFactors: typeof forgetFactors;
  readonly secondStep: SecondStep;
  readonly completeSignIn: OwnFactorRouteDependencies['completeSignIn'];
  readonly captchas: PurposeCaptchas;
  readonly verifyAuditLog: VerificationRouteDependencies['verifyAuditLog'];
  readonly checkpointPublicKeys: VerificationRouteDependencies['checkpointPublicKeys'];
  readonly consoleFolder: string | null;
}

/**
 * The modules of the server: each is a folder in `modules/` and an entry here, in the order of the API documentation.
 */
const modules: readonly Module<Dependencies>[] = [
  signIn,
  secondStep,
  captcha,
  passwords,
  inactivity,
  loginPolicy,
  sessions,
  tickets,
  profile,
  secondFactors,
  administrators,
  roles,
  appUsers,
  oneTimeCodes,
  payments,
  idempotencyKeys,
  parameters,
  files,
  auditRecords,
  notifications,
  encryption,
  health,
  activity,
  metrics,
  adminConsole,
];

/** The declarations of all modules. */
export const catalog = catalogOf(modules);

/**
 * The time for which a stop waits for requests in progress, in milliseconds. The process has 10 s (`server.ts`); the
 * rest is for pending writes.
 */
const DRAIN_MILLIS = 8000;

/** The time for which a stop waits for a part to close, in milliseconds. Parts whose stores answer need less. */
const CLOSE_PART_MILLIS = 9000;

/**
 * Creates a Fastify instance with this server's limits, ids and logs, and without plugins.
 *
 * @param logStream receives the log, one JSON text per line. Default: standard output, pretty-printed in development.
 */
export function createApp(config: Config, logStream?: NodeJS.WritableStream): App {
  const app = fastify(httpServerOptions(config, catalog, logStream)).withTypeProvider<TypeBoxTypeProvider>();
  boundCloseHooks(app as unknown as FastifyInstance, CLOSE_PART_MILLIS);
  // Bodies are JSON (HTTP-4). Fastify also accepts plain text by default.
  app.removeContentTypeParser('text/plain');
  readJsonBodies(app);
  return app;
}

/**
 * Builds the whole server, ready to listen or for injection. In production it first runs the preflight (OPS-3).
 *
 * @param resources databases and stores that the caller opened and will close. Default: opened from the configuration,
 * and closed with the app.
 */
export async function buildApp(config: Config, resources?: Resources, options?: ComposeOptions): Promise<App> {
  const app = createApp(config);
  try {
    await composeApp(app, config, await resourcesOf(app, config, resources), options);
    // Some plugins fail only here. Their errors are handled like all others of the setup.
    await app.ready();
    return app;
  } catch (error) {
    await app.close();
    throw inVariables(error, config);
  }
}

async function resourcesOf(app: App, config: Config, given: Resources | undefined): Promise<Resources> {
  async function open(): Promise<Resources> {
    if (given !== undefined) return given;
    const resources = await openResources(config);
    // Hooks run in reverse order. This one is added first, so it runs last, when nothing needs a store any longer.
    app.addHook('onClose', () => resources.close());
    return resources;
  }
  return config.profile === 'production' ? openChecked({ config, log: app.log }, open) : open();
}

export interface ComposeOptions {
  /** Resources that the caller closes. Default: opened from the configuration, and closed with the app. */
  readonly hashing?: PasswordHashing | undefined;
  /** The folder of the built console. Default: that of its package. */
  readonly consoleFolder?: string;
  /** The clock of second factors, in milliseconds since 1970. Default `Date.now`. */
  readonly factorClock?: () => number;
}

/** Registers the plugins and modules on an empty app. */
export async function composeApp(
  app: App,
  config: Config,
  resources: Resources,
  { hashing = openOwnHashing(app, config), consoleFolder, factorClock }: ComposeOptions = {},
): Promise<void> {
  const { database, stores } = resources;
  const isKeeping = resources.redis !== null;
  const accounts = createAdministrators(database);
  // For routes that use Redis directly. The app does not own the client and does not close it.
  if (resources.redis !== null) await app.register(fastifyRedis, { client: resources.redis });
  await app.register(gracefulStop, { drainMillis: DRAIN_MILLIS });
  app.setErrorHandler(answerError);
  app.setNotFoundHandler(refuseUnknownPath);
  await app.register(requestLog);
  await app.register(healthRegistry);
  await app.register(metricsRegistry, { config });
  const appUserNames = createAppUserNames(database, config);
  await app.register(activityRegistry, {
    store: stores.sessions,
    accounts: createSourceAccounts({ administrators: accounts, appUserNames }, normalizeUsername),
  });
  if (config['api-docs.enabled']) await app.register(apiDocs, { config, ...catalog });
  const auditSink = await openAuditSink(app, config, database);
  app.decorate('auditSink', auditSink);
  const passwordDuty = createPasswordDuty({
    limitsAtHand: () => app.systemParameters.atHand(passwordLimitParameters),
    readLimits: () => app.systemParameters.read(passwordLimitParameters),
    reasonOf: ({ audience, subject }, limits) =>
      audience === 'admin' ? passwordDutyOf(subject, limits) : appPasswordDutyOf(subject, limits),
  });
  const clock = openSessionClock(config, stores);
  const factorDuty = factorDutyOf(app, clock.now);
  const fence = createFinishingFence(app, { database, grantsOf: grantsQuery, duty: passwordDuty, factorDuty });
  const changes = createChanges(
    database,
    auditSink,
    (err) => app.log.warn({ err }, 'a committed audit record is not in the chain yet: a sweep chains it'),
    fence.confirm,
  );
  await deliverAuditRecords(app, { config, database });
  await prepareAccounts({ database, changes, hashing }, config);
  const tables = config['captcha.verify-url'] === null ? withoutExternal(catalog.parameters) : catalog.parameters;
  await app.register(dynamicParameters, { config, resources, tables, fence });
  const factors = await openSecondFactors(app, {
    ...{ config, database, changes, store: stores.sessions, now: factorClock },
    accounts: accountTables,
  });
  const protection = await requestProtectionOptions({
    config,
    stores,
    clock,
    auditSink: countRecords(app.activity.noteRecord, app.metrics.timed(auditSink)),
    changes,
    sessionEnds: createSessionEnds(database, { isApart: resources.redis !== null }),
    permissions: catalog.permissions,
    ticketPurposes: ticketPurposesOf(app, catalog),
    grantsOf: (id) => accounts.grantsOf(id),
    readLifetimes: () => readLifetimes(app),
    mayHaveDuty: (asking) => factorDuty.mayAsk(asking) || passwordDuty.mayAsk(asking),
    // Without Redis, the version would be in the database, as the permissions are.
    permissionChanges: isKeeping ? { areSettled: () => isAccessSettled(database) } : null,
  });
  // The processing order of a request (ORD-1) is in request-protection.ts.
  await app.register(requestProtection, {
    ...protection,
    sessionDuties: { factorDuty, passwordDuty, database },
  });
  if (config['api-docs.enabled']) await app.register(apiDocsPage);

  const settlement = createAuditSettlement({
    database: database.reading,
    sink: auditSink,
    findOutcome: async (record) => (await catalog.outcomes[record.action]?.(app, record)) ?? null,
    log: app.log,
  });
  app.addHook('onClose', () => settlement.close());

  app.decorate('signInNotes', createSignInNotes(app, { database, changes, accounts: accountTables }));
  const users = createAppUsers(database);
  const secondStepOfSignIns = createSecondStep(app, {
    secondFactors: factors,
    passwords: hashing,
    store: stores.sessions,
    now: clock.now,
    async findAccount(audience, id) {
      if (audience === 'admin')
        return accounts.findById(id).then((found) => found && { ...found, name: found.username });
      return users.findById(id).then((found) => found && { ...found, name: found.mobile });
    },
  });
  const messageServices = await openMessageServices(app, config, resources, auditSink);
  await registerModules(app, {
    config,
    database: { reading: database.reading },
    changes,
    contentLedger: createContentLedger(database),
    stores: { sessions: stores.sessions },
    pings: pingsOf(resources),
    clock,
    administrators: accounts,
    appUserNames,
    access: createAccessControl(async () => {
      if (isKeeping) await app.authTokens.announcePermissionsChange();
    }),
    permissionGroups: catalog.permissionGroups,
    passwords: hashing,
    secondFactors: factors,
    rehearse,
    forgetFactors,
    secondStep: secondStepOfSignIns,
    completeSignIn: secondStepOfSignIns.complete,
    captchas: createPurposeCaptchas({ app, config, store: stores.sessions }),
    verifyAuditLog: (onProgress, given) => verifyOwnLog(config, database, onProgress, given),
    checkpointPublicKeys: () => checkpointPublicKeys(config),
    consoleFolder: consoleFolder ?? null,
    ...messageServices,
  });
  await serveUnlock(
    app,
    database.folder,
    { ...{ config, auditSink, now: Date.now }, clearCodes: messageServices.codes.clear, renew: renewalBy(changes) },
    { 'second-factor': serveFactorCommand(app, { config, changes, ...factors }) },
  );
  for (const warning of resources.warnings) app.log.warn(warning);
  if (config['safe-mode']) app.log.warn('safe mode: writes are refused, and no message is sent');
}

async function registerModules(app: App, dependencies: Dependencies): Promise<void> {
  for (const { prepare } of modules) await prepare?.(app, dependencies);
  for (const { routes } of modules) if (routes !== undefined) await app.register(routes, dependencies);
}
