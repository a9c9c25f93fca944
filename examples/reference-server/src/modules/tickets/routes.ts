import { Type } from 'typebox';
import { oneOf } from '../../http/lists.js';
import type { App } from '../../http/module.js';

const ticketUse = Type.Object(
  {
    purpose: Type.String({ minLength: 1, maxLength: 64 }),
    /** The resource that the ticket is for, such as the id of a file. */
    resource: Type.String({ minLength: 1, maxLength: 512 }),
  },
  { title: 'NewTicket', additionalProperties: false },
);

const issuedTicket = Type.Object({ ticket: Type.String(), expiresInSeconds: Type.Integer() }, { title: 'Ticket' });

/** `POST /auth/tickets` (TOK-10): issues a single-use right, for a link that can't send a header. */
export async function ticketRoute(app: App): Promise<void> {
  app.post(
    '/auth/tickets',
    {
      config: { access: ['admin', 'app'], audit: 'ticket' },
      schema: { body: ticketUse, response: { 201: oneOf(issuedTicket) } },
    },
    async function issueTicket(request, reply) {
      request.audit?.set({ target: `${request.body.purpose} ${request.body.resource}` });
      const data = await app.authTokens.issueTicket({ principal: request.principal!, ...request.body });
      return reply.code(201).send({ data });
    },
  );
}
