import type { Sent } from './delivery.js';
import { flipByte, type SealingKey, sealPlain } from './envelope.js';
import { COPIES, type Experiment } from './experiments.js';
import { buildRequest, changedContent, type PlainRequest } from './requests.js';

const MINUTE_MILLIS = 60_000;

/** What an experiment is made of. */
export interface Material {
  /** Null: the service takes requests in the clear. */
  readonly key: SealingKey | null;
  readonly token: string | null;
  readonly language: string;
  /** The service's clock, in milliseconds since the Unix epoch. */
  readonly now: number;
  /** The request in the form, with a key that no request has had. */
  readonly draft: PlainRequest;
  /** The last request of the same kind, as it was sent. */
  readonly last: Sent | null;
}

type SealingChange = { readonly token?: string | null; readonly timestamp?: number };

/** A request in a new envelope, or in the clear where the service takes it so. */
export function seal({ key, token, language, now }: Material, request: PlainRequest, change: SealingChange = {}): Sent {
  const values = { token, timestamp: now, ...change };
  return { request, token: values.token, language, envelope: key === null ? null : sealPlain(key, request, values) };
}

/** The requests that an experiment sends, all at once. */
export function prepare(experiment: Experiment, material: Material): readonly [Sent, ...Sent[]] {
  const { draft, last, now } = material;
  switch (experiment.name) {
    case 'send':
      return [seal(material, draft)];
    case 'again':
      return [last ?? seal(material, draft)];
    case 'retry':
      return [seal(material, last?.request ?? draft)];
    case 'change':
      return [seal(material, otherContent(draft, last?.request ?? draft))];
    case 'flip': {
      const sent = seal(material, draft);
      return [{ ...sent, envelope: sent.envelope && flipByte(sent.envelope, experiment.part) }];
    }
    case 'clock':
      return [seal(material, draft, { timestamp: now + experiment.minutes * MINUTE_MILLIS })];
    case 'drop':
      return [seal(material, draft, { token: null })];
    case 'copies': {
      const first = seal(material, draft);
      const others = Array.from({ length: COPIES - 1 }, () =>
        experiment.of === 'envelope' ? first : seal(material, draft),
      );
      return [first, ...others];
    }
  }
}

/** Other content under the key of a request: what the form holds, or else a greater amount. */
function otherContent(
  { content }: PlainRequest,
  { name, content: before, idempotencyKey }: PlainRequest,
): PlainRequest {
  const isEdited = content.payee !== before.payee || content.amount !== before.amount;
  return buildRequest(name, isEdited ? content : changedContent(before), idempotencyKey ?? '');
}
