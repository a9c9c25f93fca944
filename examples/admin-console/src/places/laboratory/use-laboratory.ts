import { newKey } from '@sallyport/api-client';
import { useDeferredValue, useMemo, useState } from 'react';
import { useLanguage } from '../../language/language.js';
import { useSend } from '../../service/send.js';
import { useConnection } from '../../service/service.js';
import { useMay } from '../../session/profile.js';
import { deliver } from './deliver.js';
import type { Sent } from './protocol/delivery.js';
import { type Experiment, hasTakenKey, type Run } from './protocol/experiments.js';
import { type Material, prepare, seal } from './protocol/prepare.js';
import {
  buildRequest,
  type Content,
  REQUEST_NAMES,
  REQUEST_PERMISSIONS,
  type RequestName,
} from './protocol/requests.js';
import type { ServiceInfo } from './service-info.js';

const nextKey = () => newKey()['Idempotency-Key'];

/** The request in the form, what was done with it, and what is shown. */
export function useLaboratory(service: ServiceInfo, readServiceAgain: () => unknown) {
  const { client } = useConnection();
  const { language } = useLanguage();
  const may = useMay();
  const offered = REQUEST_NAMES.filter((each) => {
    const permission = REQUEST_PERMISSIONS[each];
    return permission === null || may(permission);
  });
  const [name, setName] = useState<RequestName>(offered[0] ?? 'profile');
  const [content, setContent] = useState<Content>({ payee: 'Laboratory', amount: '12.50' });
  const [key, setKey] = useState(nextKey);
  /** The newest first. */
  const [log, setLog] = useState<readonly Run[]>([]);
  /** Null: the request in the form. */
  const [shownId, setShownId] = useState<number | null>(null);
  const [comparedId, setComparedId] = useState<number | null>(null);

  const last = log.find(({ exchanges }) => exchanges[0].sent.request.name === name)?.exchanges[0].sent ?? null;

  const isKeyTaken = log
    .flatMap(({ exchanges }) => exchanges)
    .some(
      (exchange) =>
        exchange.sent.request.idempotencyKey !== null &&
        exchange.sent.request.idempotencyKey === last?.request.idempotencyKey &&
        hasTakenKey(exchange),
    );

  const material = (request: Content): Material => ({
    key: service.key,
    token: client.token,
    language,
    now: Date.now() + service.clock.aheadMillis,
    draft: buildRequest(name, request, key),
    last,
  });

  // Sealing takes longer than a keystroke may.
  const settled = useDeferredValue(content);
  // A draft is sealed anew when what it holds changes.
  const draft = useMemo(
    (): Sent => seal(material(settled), buildRequest(name, settled, key)),
    [service, name, settled, key, language, client.token],
  );

  const run = useSend({
    async mutationFn(experiment: Experiment): Promise<Run> {
      const sent = prepare(experiment, material(content));
      const [first, ...others] = sent.map(async (each) => ({ sent: each, answer: await deliver(each, service.clock) }));
      if (first === undefined) throw new Error('an experiment sends at least one request');
      const exchanges = await Promise.all([first, ...others]);
      return { id: log.length + 1, at: Date.now(), experiment, exchanges: [exchanges[0], ...exchanges.slice(1)] };
    },
    onSuccess(done) {
      setLog((runs) => [done, ...runs]);
      setShownId(done.id);
      setKey(nextKey());
      const answers = done.exchanges.map(({ answer }) => answer);
      if (answers.some((answer) => answer.kind === 'answered' && answer.code === 'ENVELOPE_KEY_UNKNOWN')) {
        void readServiceAgain();
      }
      const isRefused = done.exchanges.some(
        ({ sent, answer }) => sent.token === client.token && answer.kind === 'answered' && answer.status === 401,
      );
      // The connection learns from this answer that its session has ended, and opens the sign-in.
      if (isRefused) void client.api.GET('/admin/profile').catch(() => {});
    },
  });

  return {
    /** What the user may send. */
    offered,
    name,
    choose(chosen: RequestName) {
      setName(chosen);
      setShownId(null);
    },
    content,
    edit(changed: Partial<Content>) {
      setContent({ ...content, ...changed });
      setShownId(null);
    },
    draft,
    last,
    isKeyTaken,
    log,
    run,
    shown: log.find(({ id }) => id === shownId) ?? null,
    show: setShownId,
    compared: log.find(({ id }) => id === comparedId && id !== shownId) ?? null,
    compare: setComparedId,
  };
}

export type Laboratory = ReturnType<typeof useLaboratory>;
