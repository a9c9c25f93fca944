import { Badge, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { dataOf } from '@sallyport/api-client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Dialog } from '../../feedback/dialog.js';
import { useFormats } from '../../language/formats.js';
import { useTexts } from '../../language/language.js';
import { FilterBar } from '../../lists/filter-bar.js';
import { given, useFilters } from '../../lists/filters.js';
import { List } from '../../lists/list.js';
import { ScriptMark } from '../../names/script-mark.js';
import { useApi } from '../../service/service.js';
import { useMay, useProfile } from '../../session/profile.js';
import { Page } from '../../shell/page.js';
import { AdministratorActions } from './administrator-actions.js';
import { AdministratorForm } from './administrator-form.js';
import { ADMINISTRATORS_KEY, type Administrator } from './administrator-records.js';
import { NewAdministratorForm } from './new-administrator-form.js';
import { ResetPasswordForm } from './reset-password-form.js';
import { RoleNames } from './role-names.js';
import { texts } from './texts.js';

/** The dialog over the list. */
type Open =
  | { readonly form: 'new' }
  | { readonly form: 'change' | 'reset-password'; readonly administrator: Administrator };

/** The accounts of administrators. */
export default function AdministratorsPage() {
  const t = useTexts(texts);
  const { dateTime } = useFormats();
  const may = useMay();
  const api = useApi();
  const profile = useProfile();
  const [open, setOpen] = useState<Open | null>(null);
  const filters = useFilters(['name']);
  const { name } = filters.values;
  const { after } = filters;
  const query = useQuery({
    queryKey: [...ADMINISTRATORS_KEY, name, after],
    queryFn: async ({ signal }) =>
      dataOf(await api.GET('/admin/administrators', { params: { query: given({ name, after }) }, signal })),
  });
  const roles = query.data?.roles;
  const close = () => setOpen(null);

  return (
    <Page
      title={t.title}
      purpose={t.purpose}
      actions={
        may('api:admin:administrators:create') && (
          <Button onClick={() => setOpen({ form: 'new' })}>{t.newAdministrator}</Button>
        )
      }
    >
      <FilterBar filters={filters}>
        <TextInput name="name" label={t.name} maxLength={128} defaultValue={name ?? ''} />
      </FilterBar>
      <List
        label={t.title}
        query={query}
        keyOf={({ id }) => id}
        cursor={filters}
        empty={t.empty}
        columns={[
          {
            title: t.name,
            render: ({ id, displayName, username, disabled, inactive }) => (
              <Stack gap={0}>
                <Group gap="xs">
                  <Text size="sm" fw={500}>
                    {displayName}
                  </Text>
                  <ScriptMark names={[username, displayName]} />
                  {id === profile.id && <Badge variant="light">{t.you}</Badge>}
                  {disabled && (
                    <Badge variant="light" color="red">
                      {t.disabled}
                    </Badge>
                  )}
                  {inactive && (
                    <Badge variant="light" color="yellow">
                      {t.inactive}
                    </Badge>
                  )}
                </Group>
                <Text size="xs" c="dimmed">
                  {username}
                </Text>
              </Stack>
            ),
          },
          { title: t.roles, render: ({ roleIds }) => <RoleNames roleIds={roleIds} roles={roles} /> },
          { title: t.changed, render: ({ updatedAt }) => dateTime(updatedAt) },
        ]}
        actions={(administrator) => (
          <AdministratorActions
            administrator={administrator}
            roles={roles}
            onChange={() => setOpen({ form: 'change', administrator })}
            onResetPassword={() => setOpen({ form: 'reset-password', administrator })}
          />
        )}
      />
      <Dialog opened={open !== null} title={open === null ? '' : titleOf(open)} onClose={close}>
        {open?.form === 'new' && <NewAdministratorForm onClose={close} />}
        {open?.form === 'change' && <AdministratorForm administrator={open.administrator} onClose={close} />}
        {open?.form === 'reset-password' && <ResetPasswordForm administrator={open.administrator} onClose={close} />}
      </Dialog>
    </Page>
  );

  function titleOf(dialog: Open): string {
    if (dialog.form === 'new') return t.newAdministrator;
    const { username } = dialog.administrator;
    return dialog.form === 'change' ? t.changeOf(username) : t.resetOf(username);
  }
}
