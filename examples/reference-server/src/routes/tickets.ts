import { Type } from '@fastify/type-provider-typebox';
import { PermissionDeniedError } from '@sallyport/auth-tokens';
import type { App } from '../app.js';
import { type TicketPurpose, ticketPurposes } from '../ticket-purposes.js';
import { oneOf } from './lists.js';

const ticketUse = Type.Object(
  {
    purpose: Type.String({ minLength: 1, maxLength: 64 }),
    /** The one thing that the ticket is for, such as the id of a file. */
    resource: Type.String({ minLength: 1, maxLength: 512 }),
  },
  { additionalProperties: false },
);

const issuedTicket = Type.Object({ ticket: Type.String(), expiresInSeconds: Type.Integer() });

/** `POST /auth/tickets` (TOK-10): a single use of a right, for a link that can't send a header. */
export async function ticketRoute(app: App): Promise<void> {
  app.post(
    '/auth/tickets',
    { config: { access: 'admin' }, schema: { body: ticketUse, response: { 201: oneOf(issuedTicket) } } },
    async function issueTicket(request, reply) {
      const { purpose, resource } = request.body;
      const permission = isPurpose(purpose) ? ticketPurposes[purpose] : null;
      if (permission !== null && !(await request.hasPermission(permission))) throw new PermissionDeniedError();
      const data = await app.authTokens.issueTicket({ principal: request.principal!, purpose, resource });
      return reply.code(201).send({ data });
    },
  );
}

/** Another one is refused by the plugin, which knows the same list. */
function isPurpose(purpose: string): purpose is TicketPurpose {
  return Object.hasOwn(ticketPurposes, purpose);
}
