import type { FastifyRequest } from 'fastify';
import type { FactorRules } from '../../protection/factor-duty.js';
import { ownerOf } from './session-outcomes.js';

type Sender = Pick<FastifyRequest, 'principal'>;

/** Whether the session is one of the sender's account. */
export function isOfOwn({ principal }: Sender, sessionId: string): boolean {
  return ownerOf(sessionId) === `${principal!.audience}:${principal!.subject}`;
}

/** Ending another session of the own account than that of the request needs a fresh proof if the parameter says so. */
export function ofOwnOther(request: FastifyRequest, { stepUpForSessions }: FactorRules): boolean {
  const { id = '' } = request.params as { readonly id?: string };
  return stepUpForSessions && isOfOwn(request, id) && id !== request.principal!.sessionId;
}

/** The same for all sessions of an account, if it is the own one. Ending those of others in an incident never waits. */
export function ofOwnAccount({ params, principal }: FastifyRequest, { stepUpForSessions }: FactorRules): boolean {
  const { id = principal!.subject } = params as { readonly id?: string };
  return stepUpForSessions && id.toLowerCase() === principal!.subject;
}
