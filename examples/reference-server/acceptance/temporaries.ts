import { randomBytes } from 'node:crypto';
import { type Answer, inShort, must } from './answer.js';
import type { Deployment } from './deployment.js';
import { type Credentials, type HeldAccount, newPassword, type SignIns } from './sign-ins.js';

export interface TemporaryAccount extends Credentials {
  readonly id: string;
}

export interface TemporaryRole {
  readonly id: string;
  readonly name: string;
}

/** What can be made, and deleted again. In this order: a role that somebody has can't be deleted. */
const KINDS = {
  file: '/admin/storage/files',
  administrator: '/admin/administrators',
  role: '/admin/roles',
} as const;

export type TemporaryKind = keyof typeof KINDS;

/** What is made in a deployment for a while, under names that begin with the run's prefix. */
export interface Temporaries {
  /** @throws NotRunError, as all that make something do */
  role(permissions: readonly string[]): Promise<TemporaryRole>;
  administrator(roleIds?: readonly string[]): Promise<TemporaryAccount>;
  /** An administrator with a role of its own, signed in. */
  signedIn(permissions: readonly string[]): Promise<HeldAccount & { readonly roleId: string }>;
  /** Something that a check made itself, or that came of an attack. */
  remember(kind: TemporaryKind, id: unknown): void;
  /** A name that is new and begins with the prefix. */
  name(): string;
  /** Whether anything could have been made. */
  wasUsed(): boolean;
  /** Deletes all of it. Resolves to what could not be deleted, in words. */
  clear(): Promise<string[]>;
}

export interface TemporariesOptions {
  /** Makes. */
  readonly deployment: Deployment;
  /** Deletes: goes on when the run was interrupted. */
  readonly cleaning: Deployment;
  readonly token: string;
  readonly prefix: string;
  readonly signIns: SignIns;
}

export function createTemporaries(options: TemporariesOptions): Temporaries {
  const { deployment, cleaning, token, prefix, signIns } = options;
  const made = new Map<string, TemporaryKind>();

  const remember: Temporaries['remember'] = (kind, id) => {
    if (typeof id === 'string' && id !== '') made.set(id, kind);
  };
  let used = false;
  const name = () => {
    used = true;
    return `${prefix}${randomBytes(4).toString('hex')}`;
  };
  const make = (kind: TemporaryKind, body: object) =>
    deployment.call({ method: 'POST', path: KINDS[kind], body, token });

  async function role(permissions: readonly string[]): Promise<TemporaryRole> {
    const answer = must(await make('role', { name: name(), permissions }), 201, 'make a temporary role');
    remember('role', answer.json?.data?.id);
    return answer.json?.data;
  }

  async function administrator(roleIds: readonly string[] = []): Promise<TemporaryAccount> {
    const [username, password] = [name(), newPassword()];
    const account = { username, password, displayName: 'Temporary account of an acceptance run', roleIds };
    const answer = must(await make('administrator', account), 201, 'make a temporary administrator');
    const id: string = answer.json?.data?.id;
    remember('administrator', id);
    return { id, username, password };
  }

  return {
    role,
    administrator,
    async signedIn(permissions) {
      const { id: roleId } = await role(permissions);
      const account = await administrator([roleId]);
      return { ...account, roleId, token: await signIns.open(account) };
    },
    remember,
    name,
    wasUsed: () => used,
    async clear() {
      const left: string[] = [];
      for (const kind of Object.keys(KINDS) as TemporaryKind[]) {
        for (const [id, own] of made) {
          if (own !== kind) continue;
          const fault = await remove(cleaning, token, kind, id);
          if (fault === null) made.delete(id);
          else left.push(`${kind} ${id} (${fault})`);
        }
      }
      return left;
    },
  };
}

/** Yields why it is still there, or null. */
async function remove(cleaning: Deployment, token: string, kind: TemporaryKind, id: string): Promise<string | null> {
  try {
    const answer = await cleaning.call({ method: 'DELETE', path: `${KINDS[kind]}/${encodeURIComponent(id)}`, token });
    return answer.status === 204 || answer.status === 404 ? null : inShort(answer);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Every name that any run ever makes. Nothing else is looked at, let alone deleted. */
const RUN_PREFIX = /acceptance-[0-9a-f]{12}-/;

/** The prefix of a new run. */
export function newPrefix(): string {
  return `acceptance-${randomBytes(6).toString('hex')}-`;
}

export interface LeftBehind {
  readonly kind: TemporaryKind;
  readonly id: string;
  readonly name: string;
}

/** The most that is looked through of one kind, in pages of 200. */
const MAX_PAGES = 50;

/** The newest files come first: what a run has left is on the first pages at its end. */
const PAGES_OF_NEW_FILES = 2;

/**
 * What runs have left: of this one alone where a prefix is given, which finds what was made by a request whose answer
 * got lost; else of any, such as one that was killed.
 *
 * @throws NotRunError where a list can't be read
 */
export async function findLeftBehind(deployment: Deployment, token: string, prefix?: string): Promise<LeftBehind[]> {
  const isOurs = (text: string) => (prefix === undefined ? RUN_PREFIX.test(text) : text.includes(prefix));
  const found: LeftBehind[] = [];
  for (const [kind, path] of Object.entries(KINDS) as [TemporaryKind, string][]) {
    const mostPages = kind === 'file' && prefix !== undefined ? PAGES_OF_NEW_FILES : MAX_PAGES;
    for (let page = 1; page <= mostPages; page += 1) {
      const answer = must(await readPage(deployment, token, path, page), 200, `list ${kind}s`);
      const items: Readonly<Record<string, string>>[] = answer.json?.data ?? [];
      for (const { id = '', ...item } of items) {
        const name = item.username ?? item.fileName ?? item.name ?? '';
        if (isOurs(name)) found.push({ kind, id, name });
      }
      if (items.length < 200) break;
    }
  }
  return found;
}

function readPage(deployment: Deployment, token: string, path: string, page: number): Promise<Answer> {
  return deployment.call({ path: `${path}?size=200&page=${page}`, token });
}

/** Deletes it. Resolves to what could not be deleted, in words. */
export async function removeLeftBehind(
  cleaning: Deployment,
  token: string,
  things: readonly LeftBehind[],
): Promise<string[]> {
  const left: string[] = [];
  for (const { kind, id, name } of things) {
    const fault = await remove(cleaning, token, kind, id);
    if (fault !== null) left.push(`${kind} ${name} (${fault})`);
  }
  return left;
}
