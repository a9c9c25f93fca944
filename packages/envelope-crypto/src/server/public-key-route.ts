import type { FastifyContextConfig, FastifyInstance } from 'fastify';

/** For @sallyport/auth-tokens: whoever has no token yet must be able to encrypt. For @sallyport/audit-log: nothing happens that would be worth a record. */
const PUBLIC: FastifyContextConfig & { readonly access: 'public'; readonly audit: false } = {
  access: 'public',
  audit: false,
};

/** A plugin that registers `GET /encryption/public-key`: how a client learns the key, the mode and the service's clock. */
export async function publicKeyRoute(fastify: FastifyInstance): Promise<void> {
  fastify.get('/encryption/public-key', { config: PUBLIC }, async function describeEncryption(_request, reply) {
    reply.header('cache-control', 'no-store');
    return { data: fastify.envelopeCrypto.bootstrap() };
  });
}
