import { useTexts } from '../../language/language.js';
import { useProfile } from '../../session/profile.js';
import { texts } from './texts.js';

/** The end of an id tells accounts apart: its beginning is a time. */
const SHOWN_LENGTH = 12;

/** Names an actor, such as `admin:<id>`, for the list. */
export function useActorName(): (actor: string | null) => string {
  const t = useTexts(texts);
  const { id: own, username } = useProfile();
  return (actor) => {
    if (actor === null) return t.nobody;
    const [side = '', id = ''] = actor.split(':', 2);
    if (side === 'admin' && id === own) return t.you(username);
    if (side === 'admin' || side === 'app') return `${t.sides[side]} …${id.slice(-SHOWN_LENGTH)}`;
    return actor;
  };
}
