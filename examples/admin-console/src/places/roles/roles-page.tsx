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
import { RoleView } from './role-view.js';
import { texts } from './texts.js';

const PAGE_SIZE = 20;

/** The dialog over the list. What it is stays as it was opened: a form keeps what was typed. */
type Shown = { readonly as: 'form'; readonly role: Role | null } | { readonly as: 'view'; readonly role: Role };

/** The roles, and what each may do. */
export default function RolesPage() {
  const t = useTexts(texts);
  const { dateTime } = useFormats();
  const may = useMay();
  const api = useApi();
  const { grants } = useProfile();
  const cursor = useFilters([]);
  const [shown, show] = useState<Shown | null>(null);
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
      actions={mayCreate && <Button onClick={() => show({ as: 'form', role: null })}>{t.newRole}</Button>}
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
            <Button
              size="xs"
              variant="default"
              onClick={() => show({ as: mayUpdate && mayChange(role) ? 'form' : 'view', role })}
            >
              {mayUpdate && mayChange(role) ? t.change : t.view}
            </Button>
            {may('api:admin:roles:delete') && mayChange(role) && <DeleteRole role={role} />}
          </>
        )}
      />
      <Dialog opened={shown !== null} title={shown?.role?.name ?? t.newRole} isWide onClose={() => show(null)}>
        {shown?.as === 'form' && <RoleForm role={shown.role} onClose={() => show(null)} />}
        {shown?.as === 'view' && <RoleView role={shown.role} />}
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
