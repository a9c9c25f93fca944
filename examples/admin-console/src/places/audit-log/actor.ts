import { dataOf } from '@sallyport/api-client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useTexts } from '../../language/language.js';
import { useApi } from '../../service/service.js';
import { useMay, useProfile } from '../../session/profile.js';
import { texts } from './texts.js';

/** The end of an id distinguishes accounts: its beginning is a time. */
const SHOWN_LENGTH = 12;

/** The longest page of the service. */
const MAX_ACCOUNTS = 200;

const NAMES_KEY = ['actor-names'];

type Names = Readonly<Record<string, string>>;

/** Keeps the names that come with the records: a reading of accounts would be a record of its own. */
export function useNameKeeper(): (actors: readonly { actor: string; username: string }[] | null) => void {
  const queries = useQueryClient();
  return (actors) =>
    queries.setQueryData<Names>(NAMES_KEY, (known) => ({
      ...known,
      ...Object.fromEntries((actors ?? []).map(({ actor, username }) => [actor, username])),
    }));
}

/** The usernames of the actors that were shown so far. Empty for who may not list accounts. */
function useActorNames(): Names {
  const { data } = useQuery<Names>({
    queryKey: NAMES_KEY,
    queryFn: () => ({}),
    enabled: false,
    // A username never changes.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  });
  return data ?? {};
}

/** Names an actor, such as `admin:<id>`, for the list. */
export function useActorName(): (actor: string | null) => string {
  const t = useTexts(texts);
  const { id: own, username } = useProfile();
  const names = useActorNames();
  return (actor) => {
    if (actor === null) return t.nobody;
    const [side = '', id = ''] = actor.split(':', 2);
    if (side === 'admin' && id === own) return t.you(username);
    const known = names[actor];
    if (known !== undefined) return known;
    if (side === 'admin' || side === 'app') return `${t.sides[side]} …${id.slice(-SHOWN_LENGTH)}`;
    return actor;
  };
}

/**
 * Names the target of a record, if it is the id of an account that came with the records. An id is unique over both
 * kinds of accounts. Any other target stays as it is.
 */
export function useTargetName(): (target: string) => string {
  const t = useTexts(texts);
  const { id: own, username } = useProfile();
  const names = useActorNames();
  return (target) =>
    target === own ? t.you(username) : (names[`admin:${target}`] ?? names[`app:${target}`] ?? target);
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
