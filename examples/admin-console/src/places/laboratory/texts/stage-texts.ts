import { defineTexts } from '../../../language/language.js';
import type { Stage } from '../protocol/stages.js';
import type { StageState } from '../protocol/track.js';

interface StageText {
  readonly name: string;
  readonly task: string;
}

const STAGES_EN: Readonly<Record<Stage, StageText>> = {
  arrival: { name: 'Arrival', task: 'Gives the request an id, and turns floods away.' },
  token: { name: 'Token', task: 'Checks the bearer token and its session.' },
  permission: { name: 'Permission', task: 'Checks that this account may do this.' },
  queryOpening: { name: 'Query envelope', task: 'Opens an envelope in the address.' },
  rateLimit: { name: 'Rate limit', task: 'Counts the requests of this address.' },
  policy: { name: 'Encryption policy', task: 'Refuses plaintext where an envelope is required.' },
  bodyOpening: { name: 'Body', task: 'Reads the body, and opens an envelope in it.' },
  replay: { name: 'Replay guard', task: 'Records the nonce. Each nonce counts once.' },
  content: { name: 'Content', task: 'Checks the plaintext against the schema.' },
  idempotency: { name: 'Idempotency', task: 'Records the key. Each write takes effect once.' },
  handler: { name: 'Handler', task: 'Does the work.' },
  sealing: { name: 'Sealed answer', task: 'Seals the answer for this request alone.' },
};

const STAGES_ZH: Readonly<Record<Stage, StageText>> = {
  arrival: { name: '接收', task: '分配请求编号，拦截洪水流量。' },
  token: { name: '令牌', task: '检查访问令牌及其会话。' },
  permission: { name: '权限', task: '检查此账号是否有权执行。' },
  queryOpening: { name: '查询信封', task: '解开地址中的信封。' },
  rateLimit: { name: '频率限制', task: '统计此地址的请求数。' },
  policy: { name: '加密策略', task: '要求信封时拒绝明文。' },
  bodyOpening: { name: '请求体', task: '读取请求体，并解开其中的信封。' },
  replay: { name: '防重放', task: '记录随机数，每个随机数只能用一次。' },
  content: { name: '内容', task: '按规则校验明文。' },
  idempotency: { name: '幂等', task: '记录幂等键，每次写入只生效一次。' },
  handler: { name: '处理', task: '执行业务。' },
  sealing: { name: '密封应答', task: '仅为此请求密封应答。' },
};

const STATES_EN: Readonly<Record<StageState, string>> = {
  passed: 'passed',
  refused: 'refused here',
  unreached: 'not reached',
  skipped: 'nothing to do',
  unknown: 'not known',
  waiting: 'waiting',
};

const STATES_ZH: Readonly<Record<StageState, string>> = {
  passed: '通过',
  refused: '在此拒绝',
  unreached: '未到达',
  skipped: '无需处理',
  unknown: '未知',
  waiting: '等待',
};

export const stageTexts = defineTexts({
  en: {
    title: 'What the service decides',
    explanation: 'Every request passes these stages in this order. The first refusal ends it.',
    stages: STAGES_EN,
    states: STATES_EN,
    ended: (count: string) => `${count} ended here`,
  },
  'zh-CN': {
    title: '服务如何裁决',
    explanation: '每个请求按此顺序经过各个阶段，一旦被拒绝即告结束。',
    stages: STAGES_ZH,
    states: STATES_ZH,
    ended: (count: string) => `${count} 个在此结束`,
  },
});
