import { Type } from '@fastify/type-provider-typebox';
import type { App } from '../app.js';

/** `POST /auth/logout` (ADM-5, TOK-3): ends the session of the token that asks for it, for every node at once. */
export async function sessionRoutes(app: App): Promise<void> {
  app.post(
    '/auth/logout',
    {
      config: { access: 'admin' },
      schema: {
        body: Type.Union([Type.Null(), Type.Object({}, { additionalProperties: false })]),
        response: { 204: Type.Null() },
      },
    },
    async function signOut(request, reply) {
      await app.authTokens.revoke(request.principal!.sessionId);
      return reply.code(204).send(null);
    },
  );
}
