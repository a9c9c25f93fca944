import type { Violation } from './history-checker.js';
import type { GatewayRequest } from './message-gateway.js';
import type { Finding } from './observed-run.js';

/** The final state of a message, as the server reports it. */
export interface MessageState {
  readonly id: string;
  readonly state: string;
  readonly queuedAt: number;
  readonly expiresAt: number;
}

export interface MessagesRun {
  readonly store: string;
  readonly kills: number;
  readonly messages: readonly MessageState[];
  /** All requests that the gateway received. */
  readonly requests: readonly GatewayRequest[];
  readonly signIn: (mobile: string, code: string) => Promise<{ readonly status: number }>;
}

/** A message with its requests at the gateway and its state at the server. */
interface Seen extends MessageState {
  /** Requests that the gateway accepted, or whose sender was killed. */
  readonly sends: readonly GatewayRequest[];
  readonly requests: readonly GatewayRequest[];
}

/**
 * Checks REL-9 against the gateway's requests: no message is lost, sent more than twice or sent late, and each code
 * that was sent is accepted once.
 */
export async function checkMessages(run: MessagesRun): Promise<Finding> {
  const seen = run.messages.map((message): Seen => {
    const requests = run.requests.filter(({ headers }) => headers['idempotency-key'] === message.id);
    return { ...message, requests, sends: requests.filter(({ answered }) => answered !== 503) };
  });
  const violations = [...seen.flatMap(checkSends), ...(await checkCodes(seen, run.signIn))];
  const waits = seen.flatMap(({ sends, queuedAt }) => (sends[0] === undefined ? [] : [sends[0].at - queuedAt]));
  return {
    scenario: 'REL-9',
    store: run.store,
    fault: 'kill -9 after the send',
    times: run.kills,
    keys: seen.length,
    attempts: run.requests.length,
    acknowledged: seen.filter(({ state }) => state === 'sent').length,
    submitted: 0,
    unknown: seen.filter(({ state }) => state === 'unconfirmed').length,
    slowestMillis: Math.max(0, ...waits),
    rows: seen.filter(({ sends }) => sends.length > 0).length,
    violations,
  };
}

function checkSends({ id, state, sends, requests, expiresAt }: Seen): Violation[] {
  const violations: Violation[] = [];
  if (sends.length > 2) violations.push({ kind: 'message-sent-thrice', key: id, detail: `${sends.length} sends` });
  const late = requests.filter(({ at }) => at >= expiresAt);
  if (late.length > 0) violations.push({ kind: 'message-sent-late', key: id, detail: `${late[0]!.at - expiresAt} ms` });
  // A superseded message need not be sent. A message refused until it expired cannot be sent.
  const isExcused = state === 'superseded' || (state === 'expired' && requests.length > 0);
  if (sends.length === 0 && !isExcused) violations.push({ kind: 'message-lost', key: id, detail: state });
  return violations;
}

async function checkCodes(seen: readonly Seen[], signIn: MessagesRun['signIn']): Promise<Violation[]> {
  const byMobile = new Map<string, Seen[]>();
  for (const message of seen) {
    const mobile = message.sends[0]?.body.mobile;
    if (mobile !== undefined) byMobile.set(mobile, [...(byMobile.get(mobile) ?? []), message]);
  }
  const violations: Violation[] = [];
  for (const [mobile, messages] of byMobile) {
    for (const { id, sends } of messages) {
      const code = sends[0]!.body.code!;
      const { status } = await signIn(mobile, code);
      if (status !== 200) violations.push({ kind: 'sent-code-refused', key: id, detail: String(status) });
      else if ((await signIn(mobile, code)).status === 200) {
        violations.push({ kind: 'used-code-accepted', key: id, detail: '' });
      }
    }
  }
  return violations;
}
