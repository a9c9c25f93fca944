import { type components, dataOf, RefusedError } from '@sallyport/api-client';
import { useQueryClient } from '@tanstack/react-query';
import { ConfirmedAction } from '../../feedback/confirmed-action.js';
import { notifyDone } from '../../feedback/notify.js';
import { useFormats } from '../../language/formats.js';
import { useTexts } from '../../language/language.js';
import { SESSIONS_KEY } from '../../service/queries.js';
import { useSend } from '../../service/send.js';
import { useApi, useConnection } from '../../service/service.js';
import { useMay, useProfile } from '../../session/profile.js';
import { texts } from './texts.js';

export type Session = components['schemas']['Session'];

export function placeOf({ clientIp, terminal }: Pick<Session, 'clientIp' | 'terminal'>): string {
  return [clientIp, terminal].filter((part) => part !== undefined).join(' · ');
}

/** One's own sessions are ended without a permission. */
export function useMayEnd(): (session: Session) => boolean {
  const may = useMay();
  const { id } = useProfile();
  const mayEndAll = may('api:admin:sessions:end');
  return ({ audience, subject }) => mayEndAll || (audience === 'admin' && subject === id);
}

/** Whether the session is over, by this request or by an earlier end. */
const isGone = (error: unknown) => error instanceof RefusedError && error.problem.status === 404;

/** Whether the refusal is of this session alone, so that the next one may be ended. */
const isOfOne = (error: unknown) => error instanceof RefusedError && error.problem.status === 403;

/**
 * Ends sessions, each by a request of its own, which has its own rule and its own audit record. The present one comes
 * last, and stays where another one was refused: the user reads why.
 */
function useEndSessions() {
  const t = useTexts(texts);
  const { number } = useFormats();
  const api = useApi();
  const connection = useConnection();
  const queries = useQueryClient();
  return useSend({
    async mutationFn(sessions: readonly Session[]) {
      const present = sessions.find(({ current }) => current);
      let refusal: unknown = null;
      let ended = 0;
      const end = async ({ id }: Session) => {
        try {
          dataOf(await api.DELETE('/admin/sessions/{id}', { params: { path: { id } } }));
        } catch (error) {
          if (!isGone(error)) throw error;
        }
        ended += 1;
      };
      for (const session of sessions) {
        if (session.current) continue;
        try {
          await end(session);
        } catch (error) {
          refusal ??= error;
          if (!isOfOne(error)) break;
        }
      }
      if (refusal === null && present !== undefined) {
        await end(present);
        connection.noteEnd();
        return;
      }
      if (ended > 0) {
        notifyDone(sessions.length === 1 ? t.ended : t.endedOf(number(ended), number(sessions.length)));
        await queries.invalidateQueries({ queryKey: SESSIONS_KEY });
      }
      if (refusal !== null) throw refusal;
    },
  });
}

/** The button of one session. The present one ends by signing out, or with others. */
export function EndSession({ session }: { readonly session: Session }) {
  const t = useTexts(texts);
  const mayEnd = useMayEnd();
  const end = useEndSessions();
  if (session.current || !mayEnd(session)) return null;
  return (
    <ConfirmedAction
      label={t.end}
      consequence={t.consequence(session.userName ?? session.subject, placeOf(session))}
      action={end}
      onConfirm={(done) => end.mutate([session], { onSuccess: done })}
    />
  );
}

/** The button of those that are chosen in the list. It names the users, so that nobody is ended by oversight. */
export function EndChosen({ sessions }: { readonly sessions: readonly Session[] }) {
  const t = useTexts(texts);
  const { number } = useFormats();
  const end = useEndSessions();
  const { username } = useProfile();
  const names = [
    ...new Set(sessions.map(({ userName, subject, current }) => (current ? username : (userName ?? subject)))),
  ];
  return (
    <ConfirmedAction
      label={t.endChosen(number(sessions.length))}
      consequence={
        <>
          {t.chosenConsequence(names.join(t.comma))}
          {sessions.some(({ current }) => current) && <strong> {t.withPresent}</strong>}
        </>
      }
      action={end}
      onConfirm={(done) => end.mutate(sessions, { onSuccess: done })}
    />
  );
}
