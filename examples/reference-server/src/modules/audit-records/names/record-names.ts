import type { AuditRecord } from '@sallyport/audit-log';
import type { FastifyRequest } from 'fastify';
import { validate as isUuid } from 'uuid';
import { routedPath } from '../../../http/routed-path.js';
import { normalizeUsername } from '../../administrators/index.js';

/** The accounts that records name by their ids. */
export interface AccountNames {
  readonly administrators: {
    findByUsername(username: string): Promise<{ readonly id: string; readonly username: string } | null>;
    namesOf(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  };
  readonly appUserNames: {
    isNumber(text: string): boolean;
    idOf(mobile: string): Promise<string | null>;
    /** Masked. */
    namesOf(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  };
}

type Asker = Pick<FastifyRequest, 'hasPermission'>;

/** Reads the names of the accounts that these records have as actors or targets, by `admin:<id>` or `app:<id>`. */
type NameReader = (records: readonly AuditRecord[]) => Promise<ReadonlyMap<string, string>>;

export interface RecordNames {
  /** Null for who may not list administrators. The reader looks for the names that it does not know yet. */
  reader(request: Asker): Promise<NameReader | null>;
  /** Every form in which records name the account of this target: the id, and the name. */
  targetsOf(request: Asker, target: string): Promise<string[]>;
}

const [ADMINISTRATOR, APP_USER] = ['admin:', 'app:'];

/** The routes whose target is the id of an app user. */
const APP_USER_PATH = '/admin/app-users/';

/** Names that an export keeps. */
const MAX_KEPT = 10_000;

const mayListAdministrators = (request: Asker) => request.hasPermission('api:admin:administrators:list');
const mayListAppUsers = (request: Asker) => request.hasPermission('api:admin:app-users:list');

export function createRecordNames({ administrators, appUserNames }: AccountNames): RecordNames {
  return {
    async reader(request) {
      if (!(await mayListAdministrators(request))) return null;
      const mayNameAppUsers = await mayListAppUsers(request);
      const known = new Map<string, string>();
      return async (records) => {
        if (known.size > MAX_KEPT) known.clear();
        const wanted = (side: string) => idsOf(records, side).filter((id) => !known.has(side + id));
        const [ofAdministrators, ofAppUsers] = await Promise.all([
          administrators.namesOf(wanted(ADMINISTRATOR)),
          appUserNames.namesOf(mayNameAppUsers ? wanted(APP_USER) : []),
        ]);
        for (const [id, name] of ofAdministrators) known.set(ADMINISTRATOR + id, name);
        for (const [id, name] of ofAppUsers) known.set(APP_USER + id, name);
        return known;
      };
    },

    async targetsOf(request, target) {
      const forms = [target];
      if (await mayListAdministrators(request)) {
        if (isUuid(target)) forms.push(...(await administrators.namesOf([target.toLowerCase()])).values());
        else {
          const account = await administrators.findByUsername(normalizeUsername(target));
          if (account !== null) forms.push(account.id, account.username);
        }
      }
      // To try numbers would reveal the digits that lists mask.
      if (appUserNames.isNumber(target) && (await mayListAppUsers(request))) {
        const id = await appUserNames.idOf(target);
        if (id !== null) forms.push(id);
      }
      return [...new Set(forms)];
    },
  };
}

/** The ids of the accounts of one side that are actors, or the targets of routes of that side. */
function idsOf(records: readonly AuditRecord[], side: string): string[] {
  const ids = records.flatMap(({ actor, target, extra }) => {
    const sideOfTarget = routedPath(extra.path ?? '').startsWith(APP_USER_PATH) ? APP_USER : ADMINISTRATOR;
    return [
      actor?.startsWith(side) ? actor.slice(side.length) : '',
      side === sideOfTarget ? (target?.toLowerCase() ?? '') : '',
    ];
  });
  return [...new Set(ids)].filter((id) => isUuid(id));
}
