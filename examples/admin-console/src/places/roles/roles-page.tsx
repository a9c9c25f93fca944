import { Badge, Button, Text } from '@mantine/core';
import { dataOf } from '@sallyport/api-client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmedAction } from '../../feedback/confirmed-action.js';
import { Dialog } from '../../feedback/dialog.js';
import { notifyDone } from '../../feedback/notify.js';
import { useFormats } from '../../language/formats.js';
import { useTexts } from '../../language/language.js';
import { useFilters } from '../../lists/filters.js';
import { List } from '../../lists/list.js';
import { EVERY, grantOf, unheldOf } from '../../permissions/grants.js';
import { usePermissionGroups } from '../../permissions/permission-groups.js';
import { ROLES_KEY, type Role } from '../../permissions/roles.js';
import { useApi } from '../../service/service.js';
import { useWrite } from '../../service/write.js';
import { useMay, useProfile } from '../../session/profile.js';
import { Page } from '../../shell/page.js';
import { RoleForm } from './role-form.js';
import { texts } from './texts.js';

const PAGE_SIZE = 20;

/** The roles, and what each may do. */
export default function RolesPage() {
  const t = useTexts(texts);
  const { dateTime } = useFormats();
  const may = useMay();
  const api = useApi();
  const { grants } = useProfile();
  const cursor = useFilters([]);
  const [shown, show] = useState<Role | 'new' | null>(null);
  const page = Math.max(1, Number.parseInt(cursor.after ?? '1', 10) || 1);
  const query = useQuery({
    queryKey: [...ROLES_KEY, 'page', page],
    async queryFn({ signal }) {
      const answer = dataOf(await api.GET('/admin/roles', { params: { query: { page, size: PAGE_SIZE } }, signal }));
      const { total } = answer.page;
      return { data: answer.data, page: { total, next: page * PAGE_SIZE < total ? String(page + 1) : null } };
    },
  });

  const mayChange = ({ permissions }: Role) => unheldOf(grants, permissions).length === 0;
  const mayUpdate = may('api:admin:roles:update');
  const mayCreate = may('api:admin:roles:create');
  return (
    <Page
      title={t.title}
      purpose={t.purpose}
      actions={mayCreate && <Button onClick={() => show('new')}>{t.newRole}</Button>}
    >
      <List
        label={t.title}
        query={query}
        keyOf={({ id }) => id}
        cursor={cursor}
        empty={t.empty}
        columns={[
          {
            title: t.name,
            render: ({ name }) => (
              <Text size="sm" fw={500}>
                {name}
              </Text>
            ),
          },
          { title: t.permissions, render: ({ permissions }) => <PermissionCount grants={permissions} /> },
          { title: t.changed, render: ({ updatedAt }) => dateTime(updatedAt) },
        ]}
        actions={(role) => (
          <>
            <Button size="xs" variant="default" onClick={() => show(role)}>
              {mayUpdate && mayChange(role) ? t.change : t.view}
            </Button>
            {may('api:admin:roles:delete') && mayChange(role) && <DeleteRole role={role} />}
          </>
        )}
      />
      <Dialog
        opened={shown !== null}
        title={shown === 'new' || shown === null ? t.newRole : shown.name}
        isWide
        onClose={() => show(null)}
      >
        {shown !== null && (
          <RoleForm
            key={shown === 'new' ? 'new' : shown.id}
            role={shown === 'new' ? null : shown}
            isReadOnly={shown !== 'new' && !(mayUpdate && mayChange(shown))}
            onClose={() => show(null)}
          />
        )}
      </Dialog>
    </Page>
  );
}

function PermissionCount({ grants }: { readonly grants: readonly string[] }) {
  const t = useTexts(texts);
  const { number } = useFormats();
  const { groups } = usePermissionGroups();
  if (grants.includes(EVERY)) return <Badge variant="light">{t.every}</Badge>;
  if (groups === undefined) return null;
  const codes = groups.flatMap(({ permissions }) => permissions);
  const count = codes.filter(({ code }) => grantOf(grants, code) !== undefined).length;
  return t.count(number(count), number(codes.length));
}

function DeleteRole({ role: { id, name } }: { readonly role: Role }) {
  const t = useTexts(texts);
  const api = useApi();
  const remove = useWrite(async () => dataOf(await api.DELETE('/admin/roles/{id}', { params: { path: { id } } })), {
    changes: [ROLES_KEY],
    onDone: () => notifyDone(t.removed),
  });
  return (
    <ConfirmedAction
      label={t.remove}
      consequence={t.consequence(name)}
      action={remove}
      onConfirm={(done) => remove.mutate(undefined, { onSuccess: done })}
    />
  );
}
