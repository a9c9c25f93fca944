const Fastify = require('fastify');
const authTokens = require('@sallyport/auth-tokens');
const { createMemoryStore } = require('@sallyport/ttl-store');

async function main() {
  const app = Fastify();
  await app.register(process.argv[2] === 'default' ? authTokens.default : authTokens, {
    store: createMemoryStore(),
    issuer: 'https://shop.example',
    signingKey: authTokens.generateSigningKey(),
  });
  app.get('/salaries', { config: { access: 'admin' } }, async () => [{ name: 'Ada', salary: 90_000 }]);
  await app.listen({ port: Number(process.env.PORT) });
}
main();
