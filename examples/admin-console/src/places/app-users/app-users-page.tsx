import { Badge, Group, Stack, Text, TextInput } from '@mantine/core';
import { type components, dataOf } from '@sallyport/api-client';
import { useQuery } from '@tanstack/react-query';
import { ConfirmedAction } from '../../feedback/confirmed-action.js';
import { notifyDone } from '../../feedback/notify.js';
import { useFormats } from '../../language/formats.js';
import { useTexts } from '../../language/language.js';
import { FilterBar } from '../../lists/filter-bar.js';
import { given, useFilters } from '../../lists/filters.js';
import { List } from '../../lists/list.js';
import { AccountFactors } from '../../second-step/account-factors.js';
import { SESSIONS_KEY } from '../../service/queries.js';
import { useApi } from '../../service/service.js';
import { useWrite } from '../../service/write.js';
import { useMay } from '../../session/profile.js';
import { Page } from '../../shell/page.js';
import { texts } from './texts.js';

type AppUser = components['schemas']['AppUser'];

const APP_USERS_KEY = ['app-users'] as const;

/** The users of the app. */
export default function AppUsersPage() {
  const t = useTexts(texts);
  const { dateTime } = useFormats();
  const api = useApi();
  const filters = useFilters(['mobile']);
  const { mobile } = filters.values;
  const { after } = filters;
  const query = useQuery({
    queryKey: [...APP_USERS_KEY, mobile, after],
    queryFn: async ({ signal }) =>
      dataOf(await api.GET('/admin/app-users', { params: { query: given({ mobile, after }) }, signal })),
  });
  return (
    <Page title={t.title} purpose={t.purpose}>
      <FilterBar filters={filters}>
        <TextInput name="mobile" label={t.mobile} description={t.mobileHint} defaultValue={mobile ?? ''} />
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
            render: ({ displayName, mobile: masked, disabled, inactive }) => (
              <Stack gap={0}>
                <Group gap="xs">
                  <Text size="sm" fw={500}>
                    {displayName}
                  </Text>
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
                  {masked}
                </Text>
              </Stack>
            ),
          },
          { title: t.password, render: ({ hasPassword }) => (hasPassword ? t.hasPassword : t.noPassword) },
          { title: t.registered, render: ({ createdAt }) => dateTime(createdAt) },
          { title: t.changed, render: ({ updatedAt }) => dateTime(updatedAt) },
        ]}
        actions={(user) => <AppUserActions user={user} />}
      />
    </Page>
  );
}

interface UserProps {
  readonly user: AppUser;
}

function AppUserActions({ user }: UserProps) {
  const t = useTexts(texts);
  const may = useMay();
  if (!may('api:admin:app-users:update')) return null;
  return (
    <>
      {(user.disabled || user.inactive) && <SetDisabled user={user} to={false} />}
      {!user.disabled && <SetDisabled user={user} to />}
      {may('api:admin:second-factors:reset-app-users') && (
        <AccountFactors audience="app" id={user.id} name={t.user(user.displayName, user.mobile, user.id)} />
      )}
      {may('api:admin:sessions:end') && <EndSessions user={user} />}
    </>
  );
}

/** An app user whom nobody has seen for long is refused, though not disabled: enabling ends both. */
function SetDisabled({ user: { id, displayName, mobile }, to: disabled }: UserProps & { readonly to: boolean }) {
  const t = useTexts(texts);
  const user = t.user(displayName, mobile, id);
  const api = useApi();
  const change = useWrite(
    async (content: { readonly disabled: boolean }) =>
      dataOf(await api.PUT('/admin/app-users/{id}', { params: { path: { id } }, body: content })),
    {
      changes: [APP_USERS_KEY, SESSIONS_KEY],
      onDone: () => notifyDone(disabled ? t.wasDisabled(user) : t.wasEnabled(user)),
    },
  );
  return (
    <ConfirmedAction
      size="compact-sm"
      label={disabled ? t.disable : t.enable}
      consequence={disabled ? t.disableConsequence(user) : t.enableConsequence(user)}
      action={change}
      onConfirm={(done) => change.mutate({ disabled }, { onSuccess: done })}
    />
  );
}

function EndSessions({ user: { id, displayName, mobile } }: UserProps) {
  const t = useTexts(texts);
  const user = t.user(displayName, mobile, id);
  const api = useApi();
  const end = useWrite(
    async () => dataOf(await api.DELETE('/admin/app-users/{id}/sessions', { params: { path: { id } } })),
    { changes: [SESSIONS_KEY], onDone: () => notifyDone(t.ended(user)) },
  );
  return (
    <ConfirmedAction
      size="compact-sm"
      label={t.endSessions}
      consequence={t.endConsequence(user)}
      action={end}
      onConfirm={(done) => end.mutate(undefined, { onSuccess: done })}
    />
  );
}
