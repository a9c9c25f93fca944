import type { AuditRecord } from '@sallyport/audit-log';
import type { FastifyRequest } from 'fastify';
import { validate as isUuid } from 'uuid';
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

/** An account as the actor of records. */
interface NamedActor {
  readonly actor: string;
  readonly username: string;
}

export interface RecordNames {
  /** The accounts that these records name. Null for who may not list administrators. */
  ofRecords(request: Asker, records: readonly AuditRecord[]): Promise<NamedActor[] | null>;
  /** Every form in which records name the account of this target: the id, and the name. */
  targetsOf(request: Asker, target: string): Promise<string[]>;
}

const [ADMINISTRATOR, APP_USER] = ['admin:', 'app:'];

/** The routes whose target is the id of an app user. */
const APP_USER_PATH = '/admin/app-users/';

const mayListAdministrators = (request: Asker) => request.hasPermission('api:admin:administrators:list');
const mayListAppUsers = (request: Asker) => request.hasPermission('api:admin:app-users:list');

export function createRecordNames({ administrators, appUserNames }: AccountNames): RecordNames {
  return {
    async ofRecords(request, records) {
      if (!(await mayListAdministrators(request))) return null;
      const isOfAppUser = ({ extra }: AuditRecord) => extra.path?.startsWith(APP_USER_PATH) === true;
      const idsOf = (side: string, hasTarget: (record: AuditRecord) => boolean) => [
        ...new Set(
          records
            .flatMap((record) => [
              record.actor?.startsWith(side) ? record.actor.slice(side.length) : '',
              hasTarget(record) ? (record.target?.toLowerCase() ?? '') : '',
            ])
            .filter((id) => isUuid(id)),
        ),
      ];
      const idsOfAppUsers = (await mayListAppUsers(request)) ? idsOf(APP_USER, isOfAppUser) : [];
      const [ofAdministrators, ofAppUsers] = await Promise.all([
        administrators.namesOf(idsOf(ADMINISTRATOR, (record) => !isOfAppUser(record))),
        appUserNames.namesOf(idsOfAppUsers),
      ]);
      return [
        ...[...ofAdministrators].map(([id, username]) => ({ actor: ADMINISTRATOR + id, username })),
        ...[...ofAppUsers].map(([id, username]) => ({ actor: APP_USER + id, username })),
      ];
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
