import type { Session, SubjectKey } from '@sallyport/auth-tokens';
import { validate as isUuid } from 'uuid';
import type { App } from '../../http/module.js';

/** Functions that find users by their names, and names by ids. */
export interface UserNames {
  readonly administrators: {
    findByUsername(username: string): Promise<{ readonly id: string } | null>;
    namesOf(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  };
  readonly appUserNames: {
    isNumber(text: string): boolean;
    idOf(mobile: string): Promise<string | null>;
    namesOf(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  };
  readonly normalizeUsername: (username: string) => string;
  /** Rejects if the sender of the request must not find app users by their numbers. */
  readonly assertMaySearchNumbers: () => Promise<void>;
}

export type SessionAudience = 'admin' | 'app';

/** The query for sessions of all users. */
export interface SessionSearch {
  readonly audience?: SessionAudience | undefined;
  /** An id, the user name of an administrator, or the mobile number of an app user. */
  readonly user?: string | undefined;
  readonly address?: string | undefined;
  readonly after?: string | undefined;
  readonly size: number;
}

/** A session with the name of its user. Null if the account was deleted. */
export interface NamedSession {
  readonly session: Session;
  readonly userName: string | null;
}

export interface FoundSessions {
  readonly sessions: readonly NamedSession[];
  /** The cursor of the next page. Null if this is the last one. */
  readonly next: string | null;
}

const AUDIENCES: readonly SessionAudience[] = ['admin', 'app'];

/** Finds sessions of all users, the newest first (API-4). */
export async function searchSessions(
  { authTokens }: Pick<App, 'authTokens'>,
  names: UserNames,
  { audience, user, address, after, size }: SessionSearch,
): Promise<FoundSessions> {
  const audiences = audience === undefined ? AUDIENCES : [audience];
  const owners = user === undefined ? undefined : await ownersOf(names, user, audiences);
  const { sessions, next } = await authTokens.findSessions({ audience, owners, clientIp: address, after, limit: size });
  return { sessions: await withNames(names, sessions), next };
}

/**
 * A name may belong to an administrator and be the number of an app user, in which case both are searched. Trying
 * numbers here would reveal the digits that lists mask, so it requires the permission to find app users.
 */
async function ownersOf(
  { administrators, appUserNames, normalizeUsername, assertMaySearchNumbers }: UserNames,
  user: string,
  audiences: readonly SessionAudience[],
): Promise<SubjectKey[]> {
  if (isUuid(user)) return audiences.map((audience) => ({ audience, subject: user.toLowerCase() }));
  if (audiences.includes('app') && appUserNames.isNumber(user)) await assertMaySearchNumbers();
  const found = await Promise.all(
    audiences.map(async (audience) => {
      const subject =
        audience === 'admin'
          ? ((await administrators.findByUsername(normalizeUsername(user)))?.id ?? null)
          : await appUserNames.idOf(user);
      return subject === null ? [] : [{ audience, subject }];
    }),
  );
  return found.flat();
}

async function withNames(
  { administrators, appUserNames }: UserNames,
  sessions: readonly Session[],
): Promise<NamedSession[]> {
  const idsOf = (wanted: SessionAudience) => [
    ...new Set(sessions.filter(({ audience }) => audience === wanted).map(({ subject }) => subject)),
  ];
  const [ofAdministrators, ofAppUsers] = await Promise.all([
    administrators.namesOf(idsOf('admin')),
    appUserNames.namesOf(idsOf('app')),
  ]);
  return sessions.map((session) => {
    const known = session.audience === 'admin' ? ofAdministrators : ofAppUsers;
    return { session, userName: known.get(session.subject) ?? null };
  });
}
