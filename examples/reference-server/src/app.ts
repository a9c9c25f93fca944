import type { IncomingMessage, ServerResponse } from 'node:http';
import fastifyRedis from '@fastify/redis';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import fastify, { type FastifyBaseLogger, type FastifyInstance, type RawServerDefault } from 'fastify';
import { type Config, inVariables } from './config/config.js';
import { answerError, refuseUnknownPath } from './http/error-response.js';
import { gracefulStop } from './http/graceful-stop.js';
import { httpServerOptions } from './http/http-server.js';
import { requestLog } from './http/logging.js';
import { createAdministrators } from './modules/administrators/administrators.js';
import { seedDevelopmentAccount } from './modules/administrators/development-account.js';
import { apiDocs, apiDocsPage } from './modules/api-docs/api-docs.js';
import { openAuditSink } from './modules/audit-records/audit-sink.js';
import { createCaptchas } from './modules/captcha/captchas.js';
import { renderSvg } from './modules/captcha/svg-renderer.js';
import { fileStorage } from './modules/files/file-storage.js';
import { healthComponents } from './modules/health/components.js';
import { healthRegistry } from './modules/health/health-registry.js';
import { signInPolicy } from './modules/login-policy/sign-in-policy.js';
import { metrics } from './modules/metrics/metrics.js';
import { openNotifications } from './modules/notifications/notifications.js';
import { smsParameters } from './modules/one-time-codes/parameters.js';
import { createSendLimits } from './modules/one-time-codes/send-limits.js';
import { createSmsCodes } from './modules/one-time-codes/sms-codes.js';
import { dynamicParameters } from './modules/parameters/dynamic-parameters.js';
import { sessionParameters } from './modules/parameters/tables.js';
import { createPasswordHashing } from './modules/passwords/password-hashing.js';
import { type AppSignInServices, routes } from './modules/routes.js';
import { openChecked } from './preflight/start-check.js';
import { deriveKey } from './protection/derived-keys.js';
import { requestProtection } from './protection/request-protection.js';
import { requestProtectionOptions } from './protection/request-protection-options.js';
import { loadTokenKeys } from './protection/token-keys.js';
import { openResources, type Resources } from './storage/resources.js';

export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

/**
 * How long a stop waits for the requests under way, in milliseconds. The process has 10 s (`server.ts`): the rest is for
 * what waits to be written.
 */
const DRAIN_MILLIS = 8000;

/**
 * A Fastify with this server's limits, ids and logs, and nothing on it yet.
 *
 * @param logStream takes the log, one JSON text a line. Default: standard output, in development for people to read.
 */
export function createApp(config: Config, logStream?: NodeJS.WritableStream): App {
  const app = fastify(httpServerOptions(config, logStream)).withTypeProvider<TypeBoxTypeProvider>();
  // Bodies are JSON (HTTP-4); Fastify would take plain text as well.
  app.removeContentTypeParser('text/plain');
  return app;
}

/**
 * The whole server, ready to listen or to be injected into. In production it passes the preflight first (OPS-3).
 *
 * @param resources databases and stores that the caller opened and will close. Default: opened from the configuration,
 * and closed with the app.
 */
export async function buildApp(config: Config, resources?: Resources): Promise<App> {
  const app = createApp(config);
  try {
    await composeApp(app, config, await resourcesOf(app, config, resources));
    // What the plugins refuse only when everything is registered has to be cleaned up after like any other refusal.
    await app.ready();
    return app;
  } catch (error) {
    await app.close();
    throw inVariables(error);
  }
}

async function resourcesOf(app: App, config: Config, given: Resources | undefined): Promise<Resources> {
  async function open(): Promise<Resources> {
    if (given !== undefined) return given;
    const resources = await openResources(config);
    // The first hook to be added is the last to run: whatever still needs a store when the app closes has it.
    app.addHook('onClose', () => resources.close());
    return resources;
  }
  return config.profile === 'production' ? openChecked({ config, log: app.log }, open) : open();
}

/** Puts the server together on an empty app. */
export async function composeApp(app: App, config: Config, resources: Resources): Promise<void> {
  const administrators = createAdministrators(resources.database);
  const passwords = createPasswordHashing({ cost: config['auth.password.bcrypt-cost'] });
  app.addHook('onClose', () => passwords.close());
  if (config.profile === 'development') await seedDevelopmentAccount(resources.database, passwords);

  // For routes that need Redis by itself. The client is not the app's, so the app doesn't close it.
  if (resources.redis !== null) await app.register(fastifyRedis, { client: resources.redis });
  await app.register(gracefulStop, { drainMillis: DRAIN_MILLIS });
  app.setErrorHandler(answerError);
  app.setNotFoundHandler(refuseUnknownPath);
  await app.register(requestLog);
  await app.register(healthRegistry);
  await app.register(metrics, { config });
  if (config['api-docs.enabled']) await app.register(apiDocs, { config });
  const auditSink = await openAuditSink(config, resources.database, app.log);
  app.decorate('auditSink', auditSink);
  await app.register(dynamicParameters, { config, resources });
  const readLifetimes = () =>
    app.systemParameters.atHand(sessionParameters) ?? app.systemParameters.read(sessionParameters);
  await app.register(
    requestProtection,
    await requestProtectionOptions(
      config,
      resources.stores,
      app.metrics.timed(auditSink),
      administrators,
      readLifetimes,
    ),
  );
  if (config['api-docs.enabled']) await app.register(apiDocsPage);
  // Beside the sessions, shared by all nodes: failures counted in memory would start anew with each restart (LP-52).
  await app.register(signInPolicy, { store: resources.stores.sessions });
  const captchas = createCaptchas({ store: resources.stores.sessions, render: renderSvg });
  await app.register(fileStorage, { config, database: resources.database });
  const appParts = await composeAppSignIn(app, config, resources);
  const components = healthComponents(app, { config, resources, queue: appParts.notifications.queue });
  for (const [name, component] of Object.entries(components)) app.health.register(name, component);
  app.metrics.observe(app, () => appParts.notifications.queue.counts());
  await app.register(routes, {
    config,
    database: resources.database,
    administrators,
    passwords,
    captchas,
    ...appParts,
  });
  for (const warning of resources.warnings) app.log.warn(warning);
  if (config['safe-mode']) app.log.warn('safe mode: writes are refused, and no message is sent');
}

/** Codes, their limits, and the module that sends them, under keys derived from the signing key. */
async function composeAppSignIn(app: App, config: Config, resources: Resources): Promise<AppSignInServices> {
  const { signingKey } = await loadTokenKeys(config);
  const policy = () => app.systemParameters.read(smsParameters);
  const shared = { store: resources.stores.sessions, key: deriveKey(signingKey, 'sms-codes'), policy };
  const codes = createSmsCodes(shared);
  const key = deriveKey(signingKey, 'notifications');
  const notifications = await openNotifications({
    config,
    resources,
    key,
    codes,
    log: app.log,
    onDelivery: app.metrics.noteDelivery,
  });
  // Among the last to be added, so among the first to be closed: deliveries still have their stores.
  app.addHook('onClose', () => notifications.close());
  const isSending = notifications.sender !== null && !config['safe-mode'];
  if (isSending && config['notification.worker'] === 'server') await notifications.startWorker();
  return { codes, limits: createSendLimits(shared), notifications };
}
