import {
  coverRoutes,
  type DescribedRoute,
  methodsOf,
  requireFreeNames,
  requireScope,
  stopsStart,
} from '@sallyport/plugin-kit/routes';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { EnvelopeSetupError } from '../errors.js';
import { sm2Sm4GcmV1 } from '../suites/index.js';
import { type BypassRoute, unmatchedRouteFaults } from './bypass-routes.js';
import { createPlaintextUses, type EnvelopeCrypto, presentEnvelopeCrypto } from './envelope-crypto.js';
import { createEnvelopeOpener } from './envelope-engine.js';
import { createEventSealing, sealNoEvents } from './event-sealing.js';
import { collectExemptRoutes } from './exempt-routes.js';
import { type EnvelopeCryptoOptions, readEnvelopeCryptoOptions } from './options.js';
import { createRandomSource } from './random-source.js';
import { createHijackGuard } from './raw-access.js';
import { createRequestHooks } from './request-hooks.js';
import { isDelivered, kRequestState, type OpenedEnvelope, type RequestState } from './request-state.js';
import { createResponseHooks } from './response-hooks.js';
import { NO_KEYS, startCrypto } from './running-crypto.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The envelope of this request. Null for a plaintext request, and until the envelope is open. */
    envelope: OpenedEnvelope | null;
    /** @internal */
    [kRequestState]: RequestState | null;
  }
  interface FastifyContextConfig {
    /**
     * Whether the route stays plaintext in every mode, with all its methods. For content that an envelope can't carry,
     * such as uploads and downloads. Default false. The option `bypassRoutes` exempts routes by path.
     */
    bypassEnvelope?: boolean;
    /**
     * Whether the handler reads `request.raw.url`, as a proxy or another router does: it then has the plaintext query
     * of an encrypted request. `request.url` stays as sent. Default false: such a read is refused
     * (`ENVELOPE_RAW_URL_UNDECLARED`), where the query is not empty.
     */
    deliverRawUrl?: boolean;
    /**
     * Whether the handler may take over the reply (`reply.hijack()`, `reply.raw`) of an encrypted request. What it
     * writes leaves in the clear. Default false: it is refused (`ENVELOPE_HIJACK_UNDECLARED`).
     */
    allowHijack?: boolean;
  }
  interface FastifyInstance {
    /** The encryption's state, for other plugins and the bootstrap endpoint. */
    readonly envelopeCrypto: EnvelopeCrypto;
  }
}

/** The only IV length of GCM in this suite. */
const IV_BYTES = 12;

async function envelopeCryptoPlugin(fastify: FastifyInstance, options: EnvelopeCryptoOptions): Promise<void> {
  const settings = readEnvelopeCryptoOptions(options);
  const { mode } = settings;
  const placed = { subject: 'envelope-crypto', SetupError: EnvelopeSetupError, scope: settings.scope };
  requireScope(fastify, placed);
  const uses = createPlaintextUses();
  const running = mode === 'OFF' ? null : await startCrypto(fastify, settings);
  const suite = running?.backend.suite ?? sm2Sm4GcmV1;
  const opener = createEnvelopeOpener({ ...settings, suite, keys: running?.ring ?? NO_KEYS });

  const bypassRoutes = [...settings.defaultBypassRoutes, ...settings.bypassRoutes];
  const exemptRoutes = collectExemptRoutes(fastify, bypassRoutes);
  const sealing = { suite, now: settings.now, drawIv: createRandomSource(IV_BYTES) };
  const sealEvents = running === null ? sealNoEvents : createEventSealing(sealing);

  function decorate(): void {
    requireFreeNames(fastify, placed, { fastify: ['envelopeCrypto'], request: ['envelope'] });
    const presented = presentEnvelopeCrypto({
      ...{ settings, opener, uses, exemptRoutes },
      backend: running?.backend.active ?? null,
      currentKey: () => (running?.ring ?? settings.keys)?.current ?? null,
      keyRefreshFailure: () => running?.rotation?.failure() ?? null,
      sealEvents,
    });
    fastify.decorate('envelopeCrypto', presented);
    fastify.decorateRequest('envelope', null);
    fastify.decorateRequest(kRequestState, null);
    refuseUnmatchedBypassRoutes(fastify, settings.bypassRoutes);
  }
  if (mode === 'OFF' || running === null) {
    fastify.log.info('envelope-crypto: encryption is OFF');
    return decorate();
  }

  const requestHooks = createRequestHooks({
    settings,
    mode,
    bypassRoutes,
    suite,
    opener,
    uses,
    refusalLog: running.refusalLog,
    refuseHijack: createHijackGuard(fastify, (request) => isDelivered(request[kRequestState])),
    parseJson: jsonParserOf(fastify),
  });
  const responseHooks = createResponseHooks(sealing);

  coverRoutes<'covered'>(fastify, {
    ...placed,
    allowEarlierRoutes: settings.allowEarlierRoutes,
    members: ['bypassEnvelope', 'deliverRawUrl', 'allowHijack'],
    declares: ({ bypassEnvelope }) => bypassEnvelope === false,
    read: (route) => ({ decision: 'covered', faults: flagFaults(route) }),
    // The replay guard claims the envelope between openBodyEnvelope and this hook.
    prepare(route) {
      route.preValidation = [requestHooks.deliverPlaintext, ...listOf(route.preValidation)];
      if (methodsOf(route).includes('HEAD')) route.onSend = [...listOf(route.onSend), responseHooks.hidePlaintext];
    },
    coversEarlier: false,
  });
  decorate();
  refuseWrongOrder(fastify);
  fastify.addHook('onRequest', requestHooks.openQueryEnvelope);
  fastify.addHook('preParsing', requestHooks.enforceEncryptionPolicy);
  fastify.addHook('preValidation', requestHooks.openBodyEnvelope);
  fastify.addHook('preHandler', requestHooks.refuseUndelivered);
  fastify.addHook('onError', responseHooks.releaseRequest);
  fastify.addHook('onSend', responseHooks.sealResponse);
}

/** ORD-4: the start is refused if plugins are registered in an order that breaks the order of the stages. */
function refuseWrongOrder(fastify: FastifyInstance): void {
  const hadPrincipal = fastify.hasRequestDecorator('principal');
  const hadReplayGuard = fastify.hasDecorator('replayGuard');

  fastify.addHook('onReady', async function requireNeighbours() {
    const faults: string[] = [];
    if (!hadPrincipal && fastify.hasRequestDecorator('principal')) {
      faults.push(
        'register @sallyport/auth-tokens before it: a request is authenticated before its envelope is opened',
      );
    }
    if (hadReplayGuard) {
      faults.push('register @sallyport/replay-guard after it: an envelope is opened before it is claimed');
    } else if (!fastify.hasDecorator('replayGuard')) {
      faults.push('register @sallyport/replay-guard after it: without it, an envelope could be sent again and again');
    }
    if (faults.length > 0) throw new EnvelopeSetupError('envelope-crypto', faults);
  });
}

/** Any value other than true would count as false. */
function flagFaults({ config }: DescribedRoute): string[] {
  return (['bypassEnvelope', 'deliverRawUrl', 'allowHijack'] as const)
    .filter((name) => config[name] !== undefined && typeof config[name] !== 'boolean')
    .map((name) => `config.${name} must be true or false`);
}

function refuseUnmatchedBypassRoutes(fastify: FastifyInstance, bypassRoutes: readonly BypassRoute[]): void {
  const isRoute = (url: string, method: string | null) =>
    (method === null ? fastify.supportedMethods : [method]).some((one) => fastify.hasRoute({ url, method: one }));
  fastify.addHook('onReady', async function requireBypassRoutes() {
    const faults = unmatchedRouteFaults(bypassRoutes, isRoute);
    if (faults.length > 0) throw new EnvelopeSetupError('envelope-crypto', faults);
  });
}

function jsonParserOf({ getDefaultJsonParser, initialConfig }: FastifyInstance) {
  const { onProtoPoisoning = 'error', onConstructorPoisoning = 'error' } = initialConfig;
  return getDefaultJsonParser(onProtoPoisoning, onConstructorPoisoning);
}

function listOf<Item>(value: Item | readonly Item[] | undefined): Item[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? [...value] : [value as Item];
}

/**
 * Opens encrypted requests and seals their responses. Register @sallyport/replay-guard after it.
 *
 * @example
 * ```ts
 * // In production the key comes from the environment and stays the same: openssl rand -hex 32
 * const privateKey = process.env.PRIVATE_KEY ?? randomBytes(32).toString('hex');
 * await app.register(envelopeCrypto, { mode: 'REQUIRED', keyId: '2026-11', privateKey });
 * await app.register(replayGuard, { store: createMemoryStore() });
 * await app.register(publicKeyRoute);
 *
 * app.post<{ Body: { amount: string } }>('/payments', async (request) => ({ data: { paid: request.body.amount } }));
 * ```
 */
export const envelopeCrypto = fp(stopsStart(envelopeCryptoPlugin), {
  fastify: '5.x',
  name: '@sallyport/envelope-crypto',
});
