import { dataOf } from '@sallyport/api-client';
import { ConfirmedAction } from '../../feedback/confirmed-action.js';
import { notifyDone } from '../../feedback/notify.js';
import { useTexts } from '../../language/language.js';
import { given } from '../../lists/filters.js';
import { useApi } from '../../service/service.js';
import { useWrite } from '../../service/write.js';
import { useMay } from '../../session/profile.js';
import { LIMITS_KEY, type LockedAddress } from './explanation.js';
import { texts } from './texts.js';

/** What a clear has left. */
export interface ClearOutcome {
  readonly what: 'name' | 'address';
  readonly of: string;
  readonly stillLocked: readonly LockedAddress[];
}

/** What the user may clear. An address needs both permissions. */
export function useMayClear(): { readonly name: boolean; readonly address: boolean } {
  const may = useMay();
  const name = may('api:admin:auth:clearLoginLimit');
  return { name, address: name && may('api:admin:auth:clearAddressLimit') };
}

export interface ClearNameProps {
  readonly user: string;
  readonly terminal: string | undefined;
  onCleared(outcome: ClearOutcome): void;
}

/** Ends the failures and locks of a name at a terminal. */
export function ClearName({ user, terminal, onCleared }: ClearNameProps) {
  const t = useTexts(texts);
  const may = useMayClear();
  const api = useApi();
  const clear = useWrite(
    async () =>
      dataOf(await api.POST('/admin/auth/clearLoginLimit', { body: { username: user, ...given({ terminal }) } })),
    {
      changes: [LIMITS_KEY],
      onDone(answer) {
        notifyDone(t.cleared(user));
        onCleared({ what: 'name', of: user, stillLocked: answer?.data.stillLocked ?? [] });
      },
    },
  );
  if (!may.name) return null;
  return (
    <ConfirmedAction
      label={t.clearName}
      consequence={t.clearNameConsequence(user, terminal)}
      action={clear}
      onConfirm={(done) => clear.mutate(undefined, { onSuccess: done })}
    />
  );
}

export interface ClearAddressProps {
  readonly address: string;
  onCleared(outcome: ClearOutcome): void;
}

/** Ends the failures and the lock of an address over all names. */
export function ClearAddress({ address, onCleared }: ClearAddressProps) {
  const t = useTexts(texts);
  const may = useMayClear();
  const api = useApi();
  const clear = useWrite(
    async () => dataOf(await api.POST('/admin/auth/clearLoginLimit', { body: { clientIp: address } })),
    {
      changes: [LIMITS_KEY],
      onDone() {
        notifyDone(t.cleared(address));
        onCleared({ what: 'address', of: address, stillLocked: [] });
      },
    },
  );
  if (!may.address) return null;
  return (
    <ConfirmedAction
      label={t.clearAddress}
      consequence={t.clearAddressConsequence(address)}
      action={clear}
      onConfirm={(done) => clear.mutate(undefined, { onSuccess: done })}
    />
  );
}
