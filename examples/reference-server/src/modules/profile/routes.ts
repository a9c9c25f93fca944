import { Type } from '@fastify/type-provider-typebox';
import { AccountGoneError } from '../../http/errors.js';
import type { App } from '../../http/module.js';
import { displayName } from '../../http/name-schemas.js';
import type { Changes } from '../../storage/changes.js';
import type { Administrators } from '../administrators/index.js';

export interface ProfileDependencies {
  readonly administrators: Pick<Administrators, 'findById' | 'rename'>;
  readonly changes: Changes;
}

const profile = Type.Object({ data: Type.Object({ username: Type.String(), displayName: Type.String() }) });

/** `GET` and `PUT /admin/profile`: the administrator's own account. */
export async function profileRoutes(app: App, { administrators, changes }: ProfileDependencies): Promise<void> {
  app.get(
    '/admin/profile',
    { config: { access: 'admin', audit: 'profile' }, schema: { response: { 200: profile } } },
    async function readProfile(request) {
      return show(await administrators.findById(request.principal!.subject));
    },
  );

  app.put(
    '/admin/profile',
    {
      config: { access: 'admin', audit: { resource: 'profile', changes: 'in-handler' } },
      schema: { body: Type.Object({ displayName }, { additionalProperties: false }), response: { 200: profile } },
    },
    async function changeProfile(request) {
      const { principal, body } = request;
      const { subject } = principal!;
      return changes.change({ request }, async (transaction) =>
        show(await administrators.rename(transaction, subject, body.displayName)),
      );
    },
  );
}

function show(account: { username: string; displayName: string } | null) {
  if (account === null) throw new AccountGoneError();
  return { data: { username: account.username, displayName: account.displayName } };
}
