import { Type } from '@fastify/type-provider-typebox';
import type { App } from '../app.js';
import { terminal, username } from './admin-sign-in.js';

const counter = Type.Object({
  counter: Type.String(),
  address: Type.Union([Type.String(), Type.Null()]),
  limit: Type.Integer(),
  state: Type.String(),
  failures: Type.Optional(Type.Integer()),
  inFlight: Type.Optional(Type.Integer()),
  windowEndsAt: Type.Optional(Type.Union([Type.Integer(), Type.Null()])),
  lockedUntil: Type.Optional(Type.Integer()),
});

const explanation = Type.Object({
  data: Type.Object({
    username: Type.String(),
    terminal: Type.String(),
    lockedUntil: Type.Union([Type.Integer(), Type.Null()]),
    counters: Type.Array(counter),
  }),
});

const DEFAULT_TERMINAL = 'Web';

/** `POST /admin/auth/clearLoginLimit` (ADM-6) and `GET /admin/login-policy/explain` (LGN-10): the same for names that nobody has. */
export async function loginPolicyRoutes(app: App): Promise<void> {
  app.post(
    '/admin/auth/clearLoginLimit',
    {
      config: { access: 'admin', permission: 'api:admin:auth:clearLoginLimit' },
      schema: {
        body: Type.Object({ username, terminal: Type.Optional(terminal) }, { additionalProperties: false }),
        response: { 204: Type.Null() },
      },
    },
    async function clearLoginLimit(request, reply) {
      const { username, terminal = DEFAULT_TERMINAL } = request.body;
      await app.loginPolicy.clear({ username, terminal });
      return reply.code(204).send(null);
    },
  );

  app.get(
    '/admin/login-policy/explain',
    {
      config: { access: 'admin', permission: 'api:admin:login-policy:explain' },
      schema: {
        querystring: Type.Object(
          {
            username,
            terminal: Type.Optional(terminal),
            clientIp: Type.Optional(Type.String({ format: 'ip-address' })),
          },
          { additionalProperties: false },
        ),
        response: { 200: explanation },
      },
    },
    async function explainLoginLimit(request) {
      const { counters, ...rest } = await app.loginPolicy.explain(request.query);
      return { data: { ...rest, counters: [...counters] } };
    },
  );
}
