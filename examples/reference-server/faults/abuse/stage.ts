import { setTimeout as sleep } from 'node:timers/promises';
import { passwordToSend } from '../../src/modules/administrators/index.js';
import { type ApiAnswer, callApi, callFor } from '../api-client.js';
import type { GatewayRequest, TestGateway } from '../message-gateway.js';
import type { CaptchaDesk } from './captcha-desk.js';
import type { Clock } from './clock.js';
import type { HttpClient, PlainRequest } from './http-client.js';
import type { Network } from './networks.js';

/** The nodes under attack, and what attackers and honest users have in common. */
export interface Stage {
  readonly clock: Clock;
  /** A token of an administrator with every permission, for the fixtures. */
  readonly token: string;
  readonly captchas: CaptchaDesk;
  /** Sends a request from a client address, to each node in turn. */
  call(from: string, path: string, request?: PlainRequest): Promise<ApiAnswer>;
  /** Every code that was sent to a number, oldest first. */
  codesOf(mobile: string): readonly string[];
  /** Those that may still be valid, oldest first. */
  liveCodesOf(mobile: string): readonly string[];
  /**
   * Resolves to whether a message follows the given number of messages. It waits long only for one that has to come:
   * the server answers the same whether it sends a message or not.
   */
  hasCodeAfter(mobile: string, count: number, mustCome: boolean): Promise<boolean>;
  /** The number of messages that were sent to numbers with one of the prefixes. */
  messagesTo(prefixes: readonly string[]): number;
}

/** How long somebody waits for a message, in milliseconds: one that must come, on a busy machine. */
const MESSAGE_LIMIT_MILLIS = 10_000;

/** The same for one that may not be sent. */
const SHORT_LIMIT_MILLIS = 1500;

/** OTC-2: how long the slow codes of a number are valid whose daily messages are used up. Others end sooner. */
const VALID_MILLIS = 1_800_000;

export interface StageOptions {
  readonly origins: readonly string[];
  readonly client: HttpClient;
  readonly token: string;
  readonly clock: Clock;
  readonly gateway: TestGateway;
  readonly captchas: (call: Stage['call']) => CaptchaDesk;
}

export function createStage({ origins, client, token, clock, gateway, captchas }: StageOptions): Stage {
  let turn = 0;
  const inbox = createInbox(gateway, clock);

  function call(from: string, path: string, request?: PlainRequest): Promise<ApiAnswer> {
    turn += 1;
    return client.send(origins[turn % origins.length]!, from, path, request);
  }

  return { clock, token, captchas: captchas(call), call, ...inbox };
}

type Inbox = Pick<Stage, 'codesOf' | 'liveCodesOf' | 'hasCodeAfter' | 'messagesTo'>;

interface Message {
  readonly code: string;
  readonly at: number;
}

/** Sorts the messages of the gateway by number. */
function createInbox({ requests }: TestGateway, clock: Clock): Inbox {
  const byNumber = new Map<string, Message[]>();
  let read = 0;

  function sort({ body: { mobile = '', code = '' } }: GatewayRequest): void {
    byNumber.set(mobile, [...(byNumber.get(mobile) ?? []), { code, at: clock.now() }]);
  }

  function messagesOf(mobile: string): readonly Message[] {
    for (; read < requests.length; read += 1) sort(requests[read]!);
    return byNumber.get(mobile) ?? [];
  }

  const liveOf = (mobile: string) => messagesOf(mobile).filter(({ at }) => clock.now() - at < VALID_MILLIS);

  return {
    codesOf: (mobile) => messagesOf(mobile).map(({ code }) => code),
    liveCodesOf: (mobile) => liveOf(mobile).map(({ code }) => code),
    async hasCodeAfter(mobile, count, mustCome) {
      const limitMillis = mustCome ? MESSAGE_LIMIT_MILLIS : SHORT_LIMIT_MILLIS;
      for (const began = performance.now(); performance.now() - began < limitMillis; await sleep(20)) {
        if (messagesOf(mobile).length > count) return true;
      }
      return false;
    },
    messagesTo(prefixes) {
      messagesOf('');
      const isMeant = (mobile: string) => prefixes.some((prefix) => mobile.startsWith(prefix));
      return [...byNumber].reduce((sum, [mobile, messages]) => sum + (isMeant(mobile) ? messages.length : 0), 0);
    },
  };
}

/** An administrator of the fixtures. */
export interface Account {
  readonly username: string;
  /** As clients send it. */
  readonly password: string;
}

/** On a machine that does much else, a hash may take longer than the server lets it. */
const CREATION_ATTEMPTS = 10;

/** Creates an administrator whose password is not common. */
export async function newAdministrator(origin: string, token: string, username: string): Promise<Account> {
  const password = passwordToSend(`${username} keeps ${Math.random()} to himself`);
  const request = { token, body: { username, password, displayName: username } };
  for (let attempt = 1; attempt < CREATION_ATTEMPTS; attempt += 1) {
    const { status, code } = await callApi(origin, '/admin/administrators', request);
    if (status === 201) return { username, password };
    if (code !== 'PASSWORD_WORKERS_BUSY') break;
    await sleep(1000);
  }
  await callFor(201, origin, '/admin/administrators', request);
  return { username, password };
}

/** The n-th guess of an attacker, as clients send it. */
export const guess = (index: number): string => passwordToSend(`guess ${index}`);

/** Sends a number of requests at once, from the addresses of a network. */
export function atOnce<Result>(
  count: number,
  network: Network,
  from: number,
  send: (address: string, index: number) => Promise<Result>,
): Promise<Result[]> {
  return Promise.all(Array.from({ length: count }, (_, offset) => send(network(from + offset), from + offset)));
}
