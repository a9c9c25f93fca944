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

/** Kinds of temporary objects, in the order of deletion: a role in use cannot be deleted. */
const KINDS = {
  file: '/admin/storage/files',
  administrator: '/admin/administrators',
  role: '/admin/roles',
} as const;

export type TemporaryKind = keyof typeof KINDS;

/** Temporary objects of a deployment, whose names begin with the run's prefix. */
export interface Temporaries {
  /** @throws NotRunError, like every method that creates an object */
  role(permissions: readonly string[]): Promise<TemporaryRole>;
  administrator(roleIds?: readonly string[]): Promise<TemporaryAccount>;
  /** Gives the account another password: an administrator sets it, and its owner changes it where that is demanded. */
  renewPassword(account: TemporaryAccount): Promise<TemporaryAccount>;
  /** A signed-in administrator with its own role. */
  signedIn(permissions: readonly string[]): Promise<HeldAccount & { readonly roleId: string }>;
  /** Registers an object that a check or an attack created. */
  remember(kind: TemporaryKind, id: unknown): void;
  /** A new name with the prefix. */
  name(): string;
  /** Whether any object may exist. */
  wasUsed(): boolean;
  /** Deletes all of them. Resolves to descriptions of what could not be deleted. */
  clear(): Promise<string[]>;
}

export interface TemporariesOptions {
  /** Creates objects. */
  readonly deployment: Deployment;
  /** Deletes objects, also after an interruption. */
  readonly cleaning: Pick<Deployment, 'call'>;
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

  let forcesChange: Promise<boolean> | null = null;
  /** Whether the owner has to change a password that another administrator has set (PWD-7). */
  function forcesFirstChange(): Promise<boolean> {
    const path = '/admin/system-parameters/admin.auth.password.force-first-change';
    forcesChange ??= deployment.call({ path, token }).then(({ json }) => json?.data?.value === true);
    return forcesChange;
  }

  /** Changes a password that an administrator has set, as its owner, where the deployment demands it. */
  async function changeFirst(account: TemporaryAccount): Promise<TemporaryAccount> {
    if (!(await forcesFirstChange())) return account;
    const password = newPassword();
    const answer = await deployment.call({
      method: 'PUT',
      path: '/admin/profile/password',
      token: await signIns.open(account),
      body: { oldPassword: account.password, newPassword: password },
    });
    must(answer, 204, 'change the password of a temporary administrator');
    return { ...account, password };
  }

  async function administrator(roleIds: readonly string[] = []): Promise<TemporaryAccount> {
    const [username, password] = [name(), newPassword()];
    const account = { username, password, displayName: 'Temporary account of an acceptance run', roleIds };
    const answer = must(await make('administrator', account), 201, 'make a temporary administrator');
    const id: string = answer.json?.data?.id;
    remember('administrator', id);
    return changeFirst({ id, username, password });
  }

  async function renewPassword({ id, username }: TemporaryAccount): Promise<TemporaryAccount> {
    const account = { id, username, password: newPassword() };
    const path = `${KINDS.administrator}/${id}/password`;
    const answer = await deployment.call({ method: 'PUT', path, body: { password: account.password }, token });
    must(answer, 204, 'reset the password of a temporary administrator');
    return changeFirst(account);
  }

  return {
    role,
    administrator,
    renewPassword,
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

/** Resolves to the reason why it still exists, or null. */
async function remove(
  cleaning: Pick<Deployment, 'call'>,
  token: string,
  kind: TemporaryKind,
  id: string,
): Promise<string | null> {
  try {
    const answer = await cleaning.call({ method: 'DELETE', path: `${KINDS[kind]}/${encodeURIComponent(id)}`, token });
    return answer.status === 204 || answer.status === 404 ? null : inShort(answer);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The form of all names that runs create. No other object is deleted. */
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

/** Bound of the search of one kind, in pages of 200. */
const MAX_PAGES = 50;

/** The newest files come first, so the remains of a run are on the first pages. */
const PAGES_OF_NEW_FILES = 2;

/**
 * The remains of runs. With a prefix only those of one run, such as an object of a request whose answer was lost;
 * otherwise those of any run, such as one that was killed.
 *
 * @throws NotRunError if a list cannot be read
 */
export async function findLeftBehind(
  deployment: Pick<Deployment, 'call'>,
  token: string,
  prefix?: string,
): Promise<LeftBehind[]> {
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

function readPage(deployment: Pick<Deployment, 'call'>, token: string, path: string, page: number): Promise<Answer> {
  return deployment.call({ path: `${path}?size=200&page=${page}`, token });
}

/** Deletes it. Resolves to a description of what could not be deleted. */
export async function removeLeftBehind(
  cleaning: Pick<Deployment, 'call'>,
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
