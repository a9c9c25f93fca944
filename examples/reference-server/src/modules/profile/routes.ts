import { Type } from '@fastify/type-provider-typebox';
import { AccountGoneError } from '../../http/errors.js';
import type { App } from '../../http/module.js';
import { displayName } from '../../http/name-schemas.js';
import type { Administrators } from '../administrators/index.js';

export interface ProfileDependencies {
  readonly administrators: Pick<Administrators, 'findById' | 'rename'>;
}

const profile = Type.Object({ data: Type.Object({ username: Type.String(), displayName: Type.String() }) });

/** `GET` and `PUT /admin/profile`: the administrator's own account. */
export async function profileRoutes(app: App, { administrators }: ProfileDependencies): Promise<void> {
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
      config: { access: 'admin', audit: 'profile' },
      schema: { body: Type.Object({ displayName }, { additionalProperties: false }), response: { 200: profile } },
    },
    async function changeProfile(request) {
      return show(await administrators.rename(request.principal!.subject, request.body.displayName));
    },
  );
}

function show(account: { username: string; displayName: string } | null) {
  if (account === null) throw new AccountGoneError();
  return { data: { username: account.username, displayName: account.displayName } };
}
