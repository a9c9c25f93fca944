import type { StoredAuditRecord } from '@sallyport/audit-log/postgres';
import type { SubjectKey } from '@sallyport/auth-tokens';
import type { FastifyRequest } from 'fastify';
import type { OutcomeFinder } from '../../http/module.js';
import { detailOfSessions } from '../../protection/end-access.js';

/** The sessions that a request ends. Kept in the record, for {@link sessionsEnded}. */
export function noteSessions({ audit }: Pick<FastifyRequest, 'audit'>, owner: string, sessionId?: string): void {
  audit?.set(detailOfSessions(owner, sessionId));
}

/** `audience:subject` of the session; an empty text for a malformed id. */
export function ownerOf(sessionId: string): string {
  return Buffer.from(sessionId.split('.')[1] ?? '', 'base64url').toString();
}

/** The parts of `audience:subject`. */
export function subjectOf(owner: string): SubjectKey {
  const separator = owner.indexOf(':');
  return { audience: owner.slice(0, Math.max(0, separator)), subject: owner.slice(separator + 1) };
}

/** The outcome of ending sessions, by whether the sessions that should have ended are still live. */
export const sessionsEnded: OutcomeFinder = async (app, record) => {
  const { owner, idStart } = detailOf(record);
  const { audience, subject } = subjectOf(owner);
  if (subject === '' || (audience !== 'admin' && audience !== 'app')) return null;
  const live = await app.authTokens.sessions({ audience, subject });
  const isMeant = ({ sessionId, issuedAt }: { readonly sessionId: string; readonly issuedAt: number }) =>
    idStart === undefined ? issuedAt < record.occurredAt : sessionId.startsWith(idStart);
  return live.some(isMeant) ? { outcome: 'failure', reason: 'SESSION_STILL_LIVE' } : { outcome: 'success' };
};

function detailOf({ parameters }: StoredAuditRecord): { readonly owner: string; readonly idStart?: string } {
  const { detail } = (parameters ?? {}) as { readonly detail?: { owner?: unknown; idStart?: unknown } };
  const { owner, idStart } = detail ?? {};
  return {
    owner: typeof owner === 'string' ? owner : '',
    ...(typeof idStart === 'string' && { idStart }),
  };
}
