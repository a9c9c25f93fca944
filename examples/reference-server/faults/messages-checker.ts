import type { Violation } from './history-checker.js';
import type { GatewayRequest } from './message-gateway.js';
import type { Finding } from './observed-run.js';

/** What the server says of a message when all is over. */
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
  /** Everything that the gateway received. */
  readonly requests: readonly GatewayRequest[];
  readonly signIn: (mobile: string, code: string) => Promise<{ readonly status: number }>;
}

/** A message as the gateway saw it, and as the server tells it. */
interface Seen extends MessageState {
  /** The requests that the gateway took, or whose sender died. */
  readonly sends: readonly GatewayRequest[];
  readonly requests: readonly GatewayRequest[];
}

/**
 * REL-9 compared with what the gateway received: nothing lost, two sends at most, none too late, only the newest code
 * valid.
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
  // A message that a newer one followed need not be sent; one that was refused until it expired can't be.
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
    const [newest, ...older] = messages.sort((one, other) => other.queuedAt - one.queuedAt);
    for (const { id, sends } of older) {
      const { status } = await signIn(mobile, sends[0]!.body.code!);
      if (status === 200) violations.push({ kind: 'old-code-accepted', key: id, detail: '' });
    }
    const { status } = await signIn(mobile, newest!.sends[0]!.body.code!);
    if (status !== 200) violations.push({ kind: 'newest-code-refused', key: newest!.id, detail: String(status) });
  }
  return violations;
}
