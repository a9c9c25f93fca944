import type { FastifyInstance, RouteOptions } from 'fastify';
import fp from 'fastify-plugin';
import type { ServerKeys } from '../keys/server-keys.js';
import { sm2Sm4GcmV1 } from '../suites/sm2-sm4-gcm-v1.js';
import { type Backend, startBackend } from './backend.js';
import { type RegisteredRoute, unansweredFaults } from './bypass-routes.js';
import { type EnvelopeCrypto, presentEnvelopeCrypto } from './envelope-crypto.js';
import { createEnvelopeOpener } from './open-envelope.js';
import type { OpenedEnvelope } from './opened-envelope.js';
import { type EnvelopeCryptoOptions, type EnvelopeCryptoSettings, readOptions, setupInvalid } from './options.js';
import { createPlaintextUses } from './plaintext-uses.js';
import { createIvSource } from './random-source.js';
import { createRequestHooks } from './request-hooks.js';
import { type Exchange, kExchange } from './request-state.js';
import { createResponseHooks } from './response-hooks.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The envelope that this request came in; null for a request in the clear, and until the envelope is open. */
    envelope: OpenedEnvelope | null;
    /** @internal */
    [kExchange]: Exchange | null;
  }
  interface FastifyContextConfig {
    /**
     * Whether the route is in the clear in every mode, with all its methods: for what no envelope can carry, such as a
     * file on its way in or out. Default false. The option `bypassRoutes` exempts routes by their paths.
     */
    bypassEnvelope?: boolean;
  }
  interface FastifyInstance {
    /** What other plugins and the bootstrap endpoint need to know of the encryption. */
    readonly envelopeCrypto: EnvelopeCrypto;
  }
}

async function envelopeCryptoPlugin(fastify: FastifyInstance, options: EnvelopeCryptoOptions): Promise<void> {
  const settings = readOptions(options);
  const { mode } = settings;
  const uses = createPlaintextUses();
  const backend = mode === 'OFF' ? null : await startBackendOf(fastify, settings);
  const suite = backend?.suite ?? sm2Sm4GcmV1;
  const opener = createEnvelopeOpener({ ...settings, suite, keys: openingKeys(settings, backend) });

  fastify.decorate('envelopeCrypto', presentEnvelopeCrypto(settings, backend?.active ?? null, opener, uses));
  fastify.decorateRequest('envelope', null);
  fastify.decorateRequest(kExchange, null);
  refuseUnansweredBypassRoutes(fastify, settings.bypassRoutes);
  if (mode === 'OFF') return;

  refuseWrongOrder(fastify);
  const requestHooks = createRequestHooks({
    settings,
    mode,
    bypassRoutes: [...settings.defaultBypassRoutes, ...settings.bypassRoutes],
    suite,
    opener,
    uses,
    parseJson: jsonParserOf(fastify),
  });
  const responseHooks = createResponseHooks({ suite, now: settings.now, freshIv: createIvSource() });

  fastify.addHook('onRequest', requestHooks.openQueryEnvelope);
  fastify.addHook('preParsing', requestHooks.enforceEncryptionPolicy);
  fastify.addHook('preValidation', requestHooks.openBodyEnvelope);
  // Between these two the replay guard claims the envelope.
  fastify.addHook('onRoute', function protectRoute(route) {
    route.preValidation = [requestHooks.deliverPlaintext, ...listOf(route.preValidation)];
    if (methodsOf(route).includes('HEAD')) route.onSend = [...listOf(route.onSend), responseHooks.hideLengthFromHead];
  });
  fastify.addHook('preHandler', requestHooks.refuseUndelivered);
  fastify.addHook('onSend', responseHooks.sealResponse);
}

/** ENV-8, ENV-6. What serves is decided once, before any request. */
async function startBackendOf(fastify: FastifyInstance, settings: EnvelopeCryptoSettings): Promise<Backend> {
  const { backend: choice, keys, maxWaitingUnwraps, kernelThread } = settings;
  const keyPairs = keys?.keyPairs ?? [];
  const backend = await startBackend({ choice, keyPairs, maxWaitingUnwraps, kernelThread, log: fastify.log });
  fastify.addHook('onClose', () => backend.close());
  return backend;
}

/** The keys as the engine asks for them. In mode OFF it is never asked to open anything. */
function openingKeys({ keys }: EnvelopeCryptoSettings, backend: Backend | null): Pick<ServerKeys, 'has' | 'unwrap'> {
  if (keys === null || backend === null) return { has: () => false, unwrap: () => null };
  return { has: keys.has, unwrap: (keyId, ek) => keys.unwrap(keyId, ek, backend.unwrapHere) };
}

/** ORD-4: the start is refused when the neighbours stand so that the order of the stages can't hold. */
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
      faults.push('register @sallyport/replay-guard after it: without one, an envelope could be sent again and again');
    }
    if (faults.length > 0) throw setupInvalid(faults);
  });
}

function refuseUnansweredBypassRoutes(
  fastify: FastifyInstance,
  bypassRoutes: Parameters<typeof unansweredFaults>[0],
): void {
  const registered: RegisteredRoute[] = [];
  fastify.addHook('onRoute', function noteRoute(route) {
    registered.push({ url: route.url, methods: methodsOf(route) });
  });
  fastify.addHook('onReady', async function requireBypassRoutes() {
    const faults = unansweredFaults(bypassRoutes, registered);
    if (faults.length > 0) throw setupInvalid(faults);
  });
}

function jsonParserOf({ getDefaultJsonParser, initialConfig }: FastifyInstance) {
  const { onProtoPoisoning = 'error', onConstructorPoisoning = 'error' } = initialConfig;
  return getDefaultJsonParser(onProtoPoisoning, onConstructorPoisoning);
}

function methodsOf({ method }: Pick<RouteOptions, 'method'>): string[] {
  return listOf(method).map((name) => name.toUpperCase());
}

function listOf<Item>(value: Item | readonly Item[] | undefined): Item[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? [...value] : [value as Item];
}

/** Opens encrypted requests and seals their responses. Register @sallyport/replay-guard after it. */
export const envelopeCrypto = fp(envelopeCryptoPlugin, { fastify: '5.x', name: '@sallyport/envelope-crypto' });
