import type { FastifyContextConfig, FastifyInstance } from 'fastify';

/** Known to @sallyport/auth-tokens, and to nobody else: whoever has no token yet must be able to encrypt. */
const PUBLIC: FastifyContextConfig & { readonly access: 'public' } = { access: 'public' };

/** A plugin that registers `GET /encryption/public-key`: how a client learns the key, the mode and the service's clock. */
export async function publicKeyRoute(fastify: FastifyInstance): Promise<void> {
  fastify.get('/encryption/public-key', { config: PUBLIC }, async function describeEncryption(_request, reply) {
    reply.header('cache-control', 'no-store');
    return { data: fastify.envelopeCrypto.bootstrap() };
  });
}
