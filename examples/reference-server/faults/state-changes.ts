import type { ShadowRow } from './shadow.js';

/** The kinds of change, and the actions of the audit records that may stand for each. */
export const changeKinds = {
  'administrator created': ['administrator.create', 'administrator.register'],
  'administrator changed': ['administrator.update', 'profile.update', 'account.note-sign-in', 'account.renew'],
  'administrator disabled': ['administrator.update'],
  'administrator’s password': ['password.reset', 'password.change', 'password.rehash'],
  'administrator deleted': ['administrator.delete'],
  'role created': ['role.create'],
  'role changed': ['role.update'],
  'role deleted': ['role.delete'],
  'app user created': ['app-user.create'],
  'app user changed': ['profile.update', 'app-user.update', 'account.note-sign-in', 'account.renew'],
  'app user disabled': ['app-user.update'],
  'app user’s password': ['password.change', 'password.recover', 'password.rehash'],
  'second factors changed': [
    'second-factor.enrol',
    'second-factor.verify',
    'second-factor.recovery-codes',
    'second-factor.reencrypt',
    'second-factor.remove',
    'second-factor.reset',
    'second-factor.enrolment-code',
    'administrator.delete',
  ],
  'parameter changed': ['system-parameter.update'],
  'payment created': ['payment.create'],
  'file stored': ['file.upload'],
  'file deleted': ['file.delete'],
  'session begun': ['auth.login', 'auth.second-factor', 'second-factor.enrol'],
  'session ended': [
    'auth.logout',
    'session.revoke',
    'password.reset',
    'password.change',
    'password.recover',
    'administrator.update',
    'administrator.delete',
    'app-user.update',
    'second-factor.enrol',
    'second-factor.remove',
    'second-factor.reset',
    // A sign-in beyond the maximum ends the oldest session; one that is refused at last ends its own.
    'auth.login',
    'auth.second-factor',
  ],
  'ticket issued': ['ticket.create'],
  'message sent': ['sms-code.send'],
} as const satisfies Record<string, readonly string[]>;

export type ChangeKind = keyof typeof changeKinds;

/** One change of business state, as it was observed independently of the audit log. */
export interface StateChange {
  readonly kind: ChangeKind;
  /** The row, the session or the message. */
  readonly id: string;
  /** What a record may call the target or the actor. */
  readonly names: readonly string[];
  /** The transaction; null outside the database, and where the record is never in the transaction. */
  readonly txid: string | null;
}

/** The ids of the audit records that each transaction committed, by transaction. */
export type Links = ReadonlyMap<string, readonly string[]>;

/** A value of the store of sessions, tickets and messages that was replaced. */
export interface StoredValue {
  readonly key: string;
  readonly before: string | null;
  readonly after: string | null;
}

type Row = Readonly<Record<string, unknown>>;

/** Reads the changes out of what the triggers noted. `names` of accounts are completed by earlier rows. */
export function changesOf(rows: readonly ShadowRow[], names: AccountNames): { changes: StateChange[]; links: Links } {
  const links = new Map<string, string[]>();
  const changes = new Map<string, StateChange>();
  for (const { txid, tab, before, after } of rows) {
    if (tab === 'audit_pending') links.set(txid, [...(links.get(txid) ?? []), String(after!.id)]);
    else if (tab === 'ttl_entries') {
      const key = String((after ?? before)!.key);
      const value = { key, before: textOf(before), after: textOf(after) };
      for (const change of changesOfValue(value, names)) changes.set(`value ${changes.size}`, change);
    } else {
      const change = changeOfRow(tab, before, after, txid, names);
      // A transaction changes an account once, however many of its rows: its own row names the kind.
      const place = change && `${change.kind.split(/[ ’]/)[0]} ${change.id} ${txid}`;
      if (change !== null && (tab !== 'administrator_roles' || !changes.has(place!))) changes.set(place!, change);
    }
  }
  return { changes: [...changes.values()], links };
}

const textOf = (row: Row | null) => (row === null ? null : String(row.value));

/** What records may call an account: a sign-in is recorded with the name that was typed in. */
export interface AccountNames {
  note(owner: string, name: string): void;
  of(owner: string): readonly string[];
}

export function createAccountNames(): AccountNames {
  const known = new Map<string, Set<string>>();
  const of = (owner: string) => known.get(owner) ?? new Set<string>();
  return {
    note: (owner, name) => void known.set(owner, of(owner).add(name).add(maskedMobile(name))),
    of: (owner) => [owner, owner.slice(owner.indexOf(':') + 1), ...of(owner)],
  };
}

/** The form in which the log shows a mobile number (AUD-3). Other names stay as they are. */
function maskedMobile(name: string): string {
  return /^\+\d+$/.test(name) ? `${name.slice(0, -8)}****${name.slice(-4)}` : name;
}

function changeOfRow(
  table: string,
  before: Row | null,
  after: Row | null,
  txid: string,
  names: AccountNames,
): StateChange | null {
  const row = (after ?? before)!;
  const made = (kind: ChangeKind, id: string, called: readonly string[]) => ({ kind, id, names: called, txid });
  const id = String(row.id);
  switch (table) {
    case 'administrators':
      names.note(`admin:${id}`, String(row.username));
      return made(`administrator${ofAccount(before, after)}`, id, names.of(`admin:${id}`));
    case 'administrator_roles': {
      const owner = String(row.administrator_id);
      return made('administrator changed', owner, names.of(`admin:${owner}`));
    }
    case 'app_users':
      names.note(`app:${id}`, String(row.mobile));
      if (after === null) throw new Error('an app user was deleted: the harness knows no such change');
      return made(
        `app user${ofAccount(before, after) as Exclude<AccountChange, ' deleted'>}`,
        id,
        names.of(`app:${id}`),
      );
    case 'roles':
      if (before === null) return made('role created', id, [id]);
      return made(after === null ? 'role deleted' : 'role changed', id, [id]);
    case 'second_factors': {
      const owner = `${row.audience}:${row.subject}`;
      return made('second factors changed', owner, names.of(owner));
    }
    case 'system_parameters':
      return made('parameter changed', String(row.key), [String(row.key)]);
    case 'payments':
      if (before !== null) throw new Error('a payment was changed: the harness knows no such change');
      return made('payment created', id, [id]);
    case 'stored_files': {
      // Only stored files are visible to clients: other rows are the server's notes of contents.
      const [wasThere, isThere] = [before?.state === 'stored', after?.state === 'stored'];
      const owner = `${row.created_by_audience ?? 'admin'}:${row.created_by}`;
      if (wasThere === isThere) return null;
      return made(isThere ? 'file stored' : 'file deleted', id, [id, owner]);
    }
    default:
      throw new Error(`the harness knows no table ${table}`);
  }
}

type AccountChange = ' created' | ' changed' | ' disabled' | '’s password' | ' deleted';

function ofAccount(before: Row | null, after: Row | null): AccountChange {
  if (before === null) return ' created';
  if (after === null) return ' deleted';
  if (before.password_hash !== after.password_hash) return '’s password';
  return before.disabled === after.disabled ? ' changed' : ' disabled';
}

/** Reads the changes out of one replaced value: of sessions, of a ticket, of the messages that were sent. */
export function changesOfValue({ key, before, after }: StoredValue, names: AccountNames): StateChange[] {
  if (key.endsWith('development-outbox')) {
    return added<{ id: string; mobile: string }>(before, after).map(({ id, mobile }) =>
      outside('message sent', id, [mobile, maskedMobile(mobile)]),
    );
  }
  if (/(?:^|:)ticket:/.test(key)) {
    if (after === null || before !== null) return [];
    const { audience, subject } = JSON.parse(after).principal as { audience: string; subject: string };
    return [outside('ticket issued', key.slice(-8), names.of(`${audience}:${subject}`))];
  }
  const [, audience, subject] = /session:([^:]+):(.+)$/.exec(key)!;
  const owner = `${audience}:${decodeURIComponent(subject!)}`;
  const live = (text: string | null) => (text === null ? '[]' : JSON.stringify(JSON.parse(text).live));
  return [
    ...added<{ id: string }>(live(before), live(after)).map(({ id }) => outside('session begun', id, names.of(owner))),
    ...added<{ id: string }>(live(after), live(before)).map(({ id }) =>
      outside('session ended', id, [id, ...names.of(owner)]),
    ),
  ];
}

const outside = (kind: ChangeKind, id: string, names: readonly string[]): StateChange => ({
  kind,
  id,
  names,
  txid: null,
});

/** The items of a JSON list that an earlier one does not have. */
function added<Item extends { readonly id: string }>(before: string | null, after: string | null): Item[] {
  const known = new Set((before === null ? [] : (JSON.parse(before) as Item[])).map(({ id }) => id));
  return (after === null ? [] : (JSON.parse(after) as Item[])).filter(({ id }) => !known.has(id));
}
