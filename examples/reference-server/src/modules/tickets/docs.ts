import { PermissionsUnavailableError, TicketUseInvalidError } from '@sallyport/auth-tokens';
import type { OperationTexts } from '../../http/operation-text.js';

/** Single-use tickets. */
export const ticketOperations: OperationTexts = {
  'POST /auth/tickets': {
    tag: 'Sessions',
    summary: 'Get a single-use ticket',
    description:
      'For a link that can’t send a header. It is bound to one purpose and one resource, is valid for at most 60 s, and ends with its session. The purpose `storage:download` takes the id of a file. An administrator needs `api:admin:storage:download` for it, an app user gets it for his own files.',
    refusals: [TicketUseInvalidError, PermissionsUnavailableError],
    request: { purpose: 'storage:download', resource: '01a1fe6c-58d8-7678-ac10-501d938cc1f7' },
    response: { data: { ticket: '8Rr1yF0c2kT6oXkq3l0mHw', expiresInSeconds: 60 } },
  },
};
