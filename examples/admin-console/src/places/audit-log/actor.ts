import { dataOf } from '@sallyport/api-client';
import { useQuery } from '@tanstack/react-query';
import { useTexts } from '../../language/language.js';
import { useApi } from '../../service/service.js';
import { useMay, useProfile } from '../../session/profile.js';
import { texts } from './texts.js';

/** The end of an id distinguishes accounts: its beginning is a time. */
const SHOWN_LENGTH = 12;

/** The longest page of the service. Of more accounts, the others are shown by their ids. */
const MAX_ACCOUNTS = 200;

/** The usernames of administrators by their ids, which are what the log has. Empty for who may not list accounts. */
function useUsernames(): ReadonlyMap<string, string> {
  const api = useApi();
  const { data } = useQuery({
    queryKey: ['usernames'],
    enabled: useMay()('api:admin:administrators:list'),
    queryFn: async ({ signal }) =>
      dataOf(await api.GET('/admin/administrators', { params: { query: { size: MAX_ACCOUNTS } }, signal })).data,
    // A username never changes. A reading for each record would itself fill the log.
    staleTime: Number.POSITIVE_INFINITY,
  });
  return new Map(data?.map(({ id, username }) => [id, username]));
}

/** Names an actor, such as `admin:<id>`, for the list. */
export function useActorName(): (actor: string | null) => string {
  const t = useTexts(texts);
  const { id: own, username } = useProfile();
  const usernames = useUsernames();
  return (actor) => {
    if (actor === null) return t.nobody;
    const [side = '', id = ''] = actor.split(':', 2);
    if (side === 'admin' && id === own) return t.you(username);
    const known = side === 'admin' ? usernames.get(id) : undefined;
    if (known !== undefined) return known;
    if (side === 'admin' || side === 'app') return `${t.sides[side]} …${id.slice(-SHOWN_LENGTH)}`;
    return actor;
  };
}

/** The actor that a filter means. */
export interface WantedActor {
  /** As the log has it, such as `admin:<id>`. Undefined: any. */
  readonly actor: string | undefined;
  readonly isLookedFor: boolean;
  /** Whether the filter is a name that no administrator has. */
  readonly isUnknown: boolean;
}

/** @param typed an actor as the log has it, or the username of an administrator */
export function useWantedActor(typed: string | undefined): WantedActor {
  const api = useApi();
  const { id: own, username } = useProfile();
  const mayLookUp = useMay()('api:admin:administrators:list');
  const isName = typed !== undefined && !typed.includes(':');
  const isSame = (name: string) => name.toLowerCase() === typed?.toLowerCase();
  const isOwn = isSame(username);
  const { data, isLoading } = useQuery({
    queryKey: ['usernames', typed],
    enabled: isName && !isOwn && mayLookUp,
    async queryFn({ signal }) {
      const query = { name: typed ?? '', size: MAX_ACCOUNTS };
      const { data: accounts } = dataOf(await api.GET('/admin/administrators', { params: { query }, signal }));
      return accounts.find((account) => isSame(account.username))?.id ?? null;
    },
  });
  const id = isOwn ? own : data;
  const isKnown = isName && id !== undefined && id !== null;
  return { actor: isKnown ? `admin:${id}` : typed, isLookedFor: isLoading, isUnknown: isName && !isOwn && id === null };
}
