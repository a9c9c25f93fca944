import { createHash, randomBytes } from 'node:crypto';
import type { TtlStore } from '@sallyport/ttl-store';
import {
  failClosed,
  PermissionDeniedError,
  PermissionsUnavailableError,
  SessionStoreUnavailableError,
  TicketInvalidError,
  TicketUseInvalidError,
} from '../errors.js';
import {
  assertPurpose,
  type Principal,
  type SessionPurposes,
  type SessionTime,
  withProofOf,
} from '../sessions/index.js';
import { type PurposeRequirements, requirementOf } from './ticket-purposes.js';

/** The purpose and resource of a ticket. */
export interface TicketUse {
  /** One of the option `ticketPurposes`, such as `download`. */
  readonly purpose: string;
  /** The resource, such as a file's id. 1 to 512 characters. */
  readonly resource: string;
}

export interface IssueTicketInput extends TicketUse {
  /** The holder: `request.principal` of the request for the ticket. */
  readonly principal: Principal;
  /** 1 to 60 seconds. Default 60. */
  readonly ttlSeconds?: number;
}

export interface IssuedTicket {
  readonly ticket: string;
  readonly expiresInSeconds: number;
}

export interface RedeemTicketInput extends TicketUse {
  /** The client's text, unchecked. */
  readonly ticket: unknown;
  /** The subject of the redeeming request, if it has one. The ticket must then belong to this subject. */
  readonly subject?: string;
}

/** Single-use rights for requests without headers: download links, images, redirects. */
export interface Tickets {
  /**
   * Rejects with PERMISSION_DENIED if the principal does not meet the requirement of the purpose, and with
   * the refusal of its session's purpose if it has one.
   */
  issueTicket(input: IssueTicketInput): Promise<IssuedTicket>;
  /**
   * The holder of the ticket. Atomic: of any number of attempts one succeeds. Every attempt uses the ticket up, even
   * one for another purpose, resource or subject. The requirement of the purpose is checked again, because the holder
   * may no longer meet it. Rejects with TICKET_INVALID for every cause.
   */
  redeemTicket(input: RedeemTicketInput): Promise<Principal>;
}

interface TicketsOptions {
  readonly store: Pick<TtlStore, 'setIfAbsent' | 'take'>;
  readonly keyPrefix: string;
  readonly purposes: PurposeRequirements;
  readonly sessionPurposes: SessionPurposes;
  /** Not cached. */
  readonly holds: (principal: Principal, permission: string) => Promise<boolean>;
  /**
   * The principal as it is now. Null: a ticket ends with the session that requested it, and with the key of that
   * session's token.
   */
  readonly recheck: (principal: Principal) => Promise<Principal | null>;
  readonly readTime: SessionTime;
}

/** A ticket in the store, under the hash of its text. */
interface TicketRecord extends TicketUse {
  readonly principal: Principal;
  readonly expiresAt: number;
}

const MAX_TICKET_SECONDS = 60;

const MAX_RESOURCE_LENGTH = 512;

// With 256 random bits, tickets can't be guessed, nor computed from their plain hash.
const TICKET_BYTES = 32;
const TICKET = /^[A-Za-z0-9_-]{43}$/;

export function createTickets(options: TicketsOptions): Tickets {
  const { store, keyPrefix, purposes, sessionPurposes, holds, recheck, readTime } = options;
  const storeKey = (ticket: string) => `${keyPrefix}ticket:${createHash('sha256').update(ticket).digest('base64url')}`;

  function refuseUndeclared(purpose: string): void {
    if (!purposes.has(purpose)) throw new TicketUseInvalidError('purpose');
  }

  async function isPermitted(principal: Principal, { purpose, resource }: TicketUse): Promise<boolean> {
    const requirement = requirementOf(purposes, purpose, principal.audience);
    if (requirement === undefined) return false;
    if (requirement === null) return true;
    if (typeof requirement === 'string') return holds(principal, requirement);
    return (await failClosed(async () => requirement(principal, resource), PermissionsUnavailableError)) === true;
  }

  return {
    async issueTicket({ principal, purpose, resource, ttlSeconds = MAX_TICKET_SECONDS }) {
      if (!Number.isInteger(ttlSeconds) || ttlSeconds < 1 || ttlSeconds > MAX_TICKET_SECONDS) {
        throw new TypeError(`ttlSeconds must be a whole number from 1 to ${MAX_TICKET_SECONDS}`);
      }
      refuseUndeclared(purpose);
      assertPurpose(sessionPurposes, principal, []);
      if (!isResource(resource)) throw new TicketUseInvalidError('resource');
      if (!(await isPermitted(principal, { purpose, resource }))) throw new PermissionDeniedError();
      const ttlMillis = ttlSeconds * 1000;
      const record: TicketRecord = { purpose, resource, principal, expiresAt: (await readTime()) + ttlMillis };
      const ticket = randomBytes(TICKET_BYTES).toString('base64url');
      await failClosed(
        () => store.setIfAbsent(storeKey(ticket), JSON.stringify(record), ttlMillis),
        SessionStoreUnavailableError,
      );
      return { ticket, expiresInSeconds: ttlSeconds };
    },

    async redeemTicket({ ticket, purpose, resource, subject }) {
      refuseUndeclared(purpose);
      if (typeof ticket !== 'string' || !TICKET.test(ticket)) throw new TicketInvalidError();
      // The store's time is read first, so that no ticket is taken if the store can't tell its time.
      const moment = await readTime();
      // Take, then check: a ticket that was tried for another use has no second attempt.
      const text = await failClosed(() => store.take(storeKey(ticket)), SessionStoreUnavailableError);
      if (text === null) throw new TicketInvalidError();
      const record = parseTicket(text);
      const isBound =
        record.purpose === purpose &&
        record.resource === resource &&
        (subject === undefined || record.principal.subject === subject);
      if (!isBound || moment >= record.expiresAt) throw new TicketInvalidError();
      const live = await recheck(record.principal);
      if (live === null) throw new TicketInvalidError();
      const principal = withProofOf(record.principal, live);
      if (!(await isPermitted(principal, { purpose, resource }))) throw new TicketInvalidError();
      return principal;
    },
  };
}

function parseTicket(text: string): TicketRecord {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's message quotes the text, which contains personal data.
    throw new SessionStoreUnavailableError({ cause: new Error('The ticket record is unreadable') });
  }
}

function isResource(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && value.length <= MAX_RESOURCE_LENGTH;
}
