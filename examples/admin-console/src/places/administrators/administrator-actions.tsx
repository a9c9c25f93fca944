import { Button, Text } from '@mantine/core';
import { dataOf } from '@sallyport/api-client';
import { ConfirmedAction } from '../../feedback/confirmed-action.js';
import { notifyDone } from '../../feedback/notify.js';
import { useTexts } from '../../language/language.js';
import { AccountFactors } from '../../second-step/account-factors.js';
import { SESSIONS_KEY } from '../../service/queries.js';
import { useApi } from '../../service/service.js';
import { useWrite } from '../../service/write.js';
import { useMay, useProfile } from '../../session/profile.js';
import { ADMINISTRATORS_KEY, type Administrator, type KnownRole, useIsInReach } from './administrator-records.js';
import { texts } from './texts.js';

export interface AdministratorActionsProps {
  readonly administrator: Administrator;
  readonly roles: readonly KnownRole[] | null | undefined;
  onChange(): void;
  onResetPassword(): void;
}

/** What the user may do with an account. Nobody disables, resets or deletes the own account here. */
export function AdministratorActions({ administrator, roles, onChange, onResetPassword }: AdministratorActionsProps) {
  const t = useTexts(texts);
  const may = useMay();
  const isInReach = useIsInReach(roles);
  const isOwn = useProfile().id === administrator.id;
  if (!isInReach(administrator)) {
    return (
      <Text size="xs" c="dimmed">
        {t.notYours}
      </Text>
    );
  }
  return (
    <>
      {may('api:admin:administrators:update') && (
        <Button size="compact-sm" variant="default" onClick={onChange}>
          {t.change}
        </Button>
      )}
      {!isOwn && administrator.inactive && !administrator.disabled && may('api:admin:administrators:update') && (
        <EnableUnused administrator={administrator} />
      )}
      {!isOwn && may('api:admin:administrators:reset-password') && (
        <Button size="compact-sm" variant="default" onClick={onResetPassword}>
          {t.resetPassword}
        </Button>
      )}
      {!isOwn && may('api:admin:second-factors:reset-administrators') && (
        <AccountFactors audience="admin" id={administrator.id} name={administrator.username} />
      )}
      {!isOwn && may('api:admin:sessions:end') && <EndSessions administrator={administrator} />}
      {!isOwn && may('api:admin:administrators:delete') && <DeleteAdministrator administrator={administrator} />}
    </>
  );
}

/** An account that nobody has used for long is refused, though it is not disabled. */
function EnableUnused({ administrator: { id, username } }: Pick<AdministratorActionsProps, 'administrator'>) {
  const t = useTexts(texts);
  const api = useApi();
  const enable = useWrite(
    async () =>
      dataOf(await api.PUT('/admin/administrators/{id}', { params: { path: { id } }, body: { disabled: false } })),
    { changes: [ADMINISTRATORS_KEY], onDone: () => notifyDone(t.enabled(username)) },
  );
  return (
    <ConfirmedAction
      size="compact-sm"
      label={t.enable}
      consequence={t.enableConsequence(username)}
      action={enable}
      onConfirm={(done) => enable.mutate(undefined, { onSuccess: done })}
    />
  );
}

function EndSessions({ administrator: { id, username } }: Pick<AdministratorActionsProps, 'administrator'>) {
  const t = useTexts(texts);
  const api = useApi();
  const end = useWrite(
    async () => dataOf(await api.DELETE('/admin/administrators/{id}/sessions', { params: { path: { id } } })),
    { changes: [SESSIONS_KEY], onDone: () => notifyDone(t.ended(username)) },
  );
  return (
    <ConfirmedAction
      size="compact-sm"
      label={t.endSessions}
      consequence={t.endConsequence(username)}
      action={end}
      onConfirm={(done) => end.mutate(undefined, { onSuccess: done })}
    />
  );
}

function DeleteAdministrator({ administrator: { id, username } }: Pick<AdministratorActionsProps, 'administrator'>) {
  const t = useTexts(texts);
  const api = useApi();
  const remove = useWrite(
    async () => dataOf(await api.DELETE('/admin/administrators/{id}', { params: { path: { id } } })),
    { changes: [ADMINISTRATORS_KEY], onDone: () => notifyDone(t.removed(username)) },
  );
  return (
    <ConfirmedAction
      size="compact-sm"
      label={t.remove}
      consequence={t.removeConsequence(username)}
      action={remove}
      onConfirm={(done) => remove.mutate(undefined, { onSuccess: done })}
    />
  );
}
