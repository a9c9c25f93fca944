import { createMemorySink } from '@sallyport/audit-log';
import { authTokens, generateSigningKey } from '@sallyport/auth-tokens';
import { type ActiveBackend, envelopeCrypto } from '@sallyport/envelope-crypto';
import { replayGuard } from '@sallyport/replay-guard';
import { createMemoryStore } from '@sallyport/ttl-store';
import fastify, { type FastifyInstance } from 'fastify';
import { type Config, ConfigError, inVariables, type Property } from '../config/config.js';
import {
  openSessionClock,
  type RequestProtectionOptions,
  requestProtectionOptions,
} from '../protection/request-protection-options.js';
import type { Stores } from '../storage/opened-resources.js';
import type { SettingCheck } from './preflight-check.js';
import type { PreflightItem } from './preflight-item.js';
import { pluginItem } from './preflight-item.js';

const READS: readonly Property[] = [
  'auth.token.algorithm',
  'auth.token.issuer',
  'auth.token.key',
  'auth.token.previous-keys',
  'api.encryption.mode',
  'api.encryption.backend',
  'api.encryption.key-id',
  'api.encryption.private-key',
  'api.encryption.previous-keys',
  'api.encryption.key-provider-module',
  'api.encryption.bypass-routes',
  'api.encryption.timestamp-window-seconds',
  'api.encryption.replay-ttl-seconds',
];

/**
 * Runs the plugins' own checks: weak and sample keys, keys of another algorithm, broad bypass routes, inconsistent
 * windows. The plugins are set up on an app that never serves, so that the rules are not duplicated here.
 */
export const plugins: SettingCheck = {
  id: 'config',
  reads: READS,
  async run({ config }) {
    // Missing keys are reported by the configuration. Without one, development would generate it.
    if (config['auth.token.key'] === null) return [];
    const hasKeys =
      config['api.encryption.private-key'] !== null || config['api.encryption.key-provider-module'] !== null;
    if (config['api.encryption.mode'] !== 'OFF' && !hasKeys) return [];
    let options: RequestProtectionOptions;
    try {
      options = await optionsOf(config);
    } catch (error) {
      if (error instanceof ConfigError) return error.faults.map(pluginItem);
      throw error;
    }
    const { signingKey: _, verificationKeys: __, ...others } = options.authTokens;
    let backend: ActiveBackend | null = null;
    const faults = await Promise.all([
      setupFaults((app) => app.register(authTokens, { ...options.authTokens, allowQueryToken: false })),
      // Uses valid keys, so that the faults of both are reported together.
      setupFaults(async (app) => {
        await app.register(authTokens, { ...others, allowQueryToken: false, signingKey: generateSigningKey() });
        await app.register(envelopeCrypto, options.envelopeCrypto);
        await app.register(replayGuard, options.replayGuard);
        await app.ready();
        backend = app.envelopeCrypto.backend;
      }),
    ]);
    return [...faults.flat().map(pluginItem), ...backendItems(backend)];
  },
};

/** ENV-8: the backend is chosen at startup. */
function backendItems(backend: ActiveBackend | null): PreflightItem[] {
  if (backend?.name !== 'portable') return [];
  return [
    {
      id: 'config.api.encryption.backend',
      severity: 'warning',
      finding: `envelopes are computed by the portable backend (${backend.reason}): slower, and its timing depends on keys`,
      fix: 'unset SERVICE_API_ENCRYPTION_BACKEND, and let Node run WebAssembly (no --jitless)',
    },
  ];
}

function optionsOf(config: Config): Promise<RequestProtectionOptions> {
  const store = createMemoryStore();
  // Setup does not use the stores.
  const stores = {
    sessions: store,
    nonces: store,
    nonceWitness: null,
    noncesAreNew: true,
    rateLimits: null,
  } as unknown as Stores;
  const lifetimes = { adminIdleSeconds: 60, adminAbsoluteSeconds: 60, appIdleSeconds: 60, appAbsoluteSeconds: 60 };
  return requestProtectionOptions({
    config,
    stores,
    clock: openSessionClock(config, stores),
    auditSink: createMemorySink(),
    changes: { begin: async () => {} },
    sessionEnds: { write: async () => {} },
    permissions: [],
    ticketPurposes: {},
    grantsOf: async () => [],
    readLifetimes: async () => lifetimes,
    mayHaveDuty: () => true,
    permissionChanges: null,
  });
}

async function setupFaults(register: (app: FastifyInstance) => PromiseLike<unknown>): Promise<readonly string[]> {
  const app = fastify();
  try {
    await register(app);
    await app.ready();
    return [];
  } catch (error) {
    const known = inVariables(error);
    if (known instanceof ConfigError) return known.faults;
    throw error;
  } finally {
    await app.close();
  }
}
