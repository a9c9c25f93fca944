export { default } from '@fastify/jwt';
export const autoConfig = { secret: process.env.JWT_SECRET ?? crypto.randomUUID() };

declare module '@fastify/jwt' {
  interface FastifyJWT {
    user: { sub: string };
  }
}
