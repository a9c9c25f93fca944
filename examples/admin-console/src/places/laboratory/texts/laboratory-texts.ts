import { defineTexts } from '../../../language/language.js';
import type { CopiesOf, ExperimentName, Obstacle } from '../protocol/experiments.js';
import type { RequestName } from '../protocol/requests.js';

interface ExperimentText {
  readonly label: string;
  /** What it does. */
  readonly task: string;
  /** The same where requests go out in the clear. Default: `task`. */
  readonly plainTask?: string;
}

const EXPERIMENTS_EN: Readonly<Record<ExperimentName, ExperimentText>> = {
  send: { label: 'Send', task: 'A new request in a new envelope.', plainTask: 'A new request, in the clear.' },
  again: { label: 'Send the same envelope again', task: 'Byte for byte, as an eavesdropper would replay it.' },
  retry: {
    label: 'Retry with the same key',
    task: 'As after a lost answer: the same key and content, in a new envelope.',
    plainTask: 'As after a lost answer: the same key and content.',
  },
  change: {
    label: 'Change the content under the same key',
    task: 'What you edited since, or else an amount greater by one.',
  },
  flip: { label: 'Flip a byte', task: 'A new envelope, damaged on its way.' },
  clock: { label: 'Move the clock', task: 'A new envelope, sealed that many minutes ahead, or behind.' },
  drop: { label: 'Drop the token', task: 'A new request that nobody is signed in on.' },
  copies: { label: 'Ten copies at once', task: 'How many of them are executed?' },
};

const EXPERIMENTS_ZH: Readonly<Record<ExperimentName, ExperimentText>> = {
  send: { label: '发送', task: '新请求，装入新信封。', plainTask: '新请求，以明文发送。' },
  again: { label: '再次发送同一信封', task: '逐字节相同，如同窃听者重放。' },
  retry: {
    label: '用同一幂等键重试',
    task: '如同应答丢失之后：幂等键和内容不变，装入新信封。',
    plainTask: '如同应答丢失之后：幂等键和内容不变。',
  },
  change: { label: '同一幂等键下更改内容', task: '使用您此后修改的内容；若未修改，则金额加一。' },
  flip: { label: '翻转一个字节', task: '新信封，在途中损坏。' },
  clock: { label: '拨动时钟', task: '新信封，密封时间提前或推后若干分钟。' },
  drop: { label: '去掉令牌', task: '新请求，未携带登录令牌。' },
  copies: { label: '同时发送十份', task: '其中有几份会被执行？' },
};

const OBSTACLES_EN: Readonly<Record<Obstacle, string>> = {
  noEnvelope: 'Not possible: the service’s mode is OFF, so there is no envelope.',
  nothingSent: 'Not possible yet: send the request first.',
  keyNotTaken: 'Not possible yet: the service has taken no request with this key. Send it first.',
  noKey: 'Not possible: a read has no idempotency key. Choose “Make a payment”.',
};

const OBSTACLES_ZH: Readonly<Record<Obstacle, string>> = {
  noEnvelope: '不可用：服务的模式为 OFF，没有信封。',
  nothingSent: '暂不可用：请先发送请求。',
  keyNotTaken: '暂不可用：服务尚未接受使用此幂等键的请求，请先发送。',
  noKey: '不可用：读取没有幂等键。请选择“新建付款”。',
};

const REQUESTS_EN: Readonly<Record<RequestName, string>> = {
  payments: 'Find payments',
  payment: 'Make a payment',
  profile: 'Read my profile',
};
const REQUESTS_ZH: Readonly<Record<RequestName, string>> = {
  payments: '查询付款',
  payment: '新建付款',
  profile: '读取个人资料',
};

const COPIES_EN: Readonly<Record<CopiesOf, string>> = {
  envelope: 'One envelope',
  key: 'One idempotency key',
  content: 'One request',
};
const COPIES_ZH: Readonly<Record<CopiesOf, string>> = {
  envelope: '同一信封',
  key: '同一幂等键',
  content: '同一请求',
};

export const texts = defineTexts({
  en: {
    title: 'Laboratory',
    purpose:
      'Watch a request being built, sealed and sent, then attack it. You see which stage of the service stops each attack, and why.',
    off: {
      title: 'This service takes requests in the clear',
      text: 'Its encryption mode is OFF, so each request is shown and sent as it is. With an envelope, proxies and logs would see neither query nor body, a changed byte would be noticed, and a copy would be refused. Token, schema and idempotency work as always. To see envelopes, start the service with SERVICE_API_ENCRYPTION_MODE=REQUIRED and a SERVICE_API_ENCRYPTION_PRIVATE_KEY.',
    },
    loading: 'Loading',
    request: 'Request',
    requestHint: 'Payments made here are real records of this service.',
    choose: 'Request',
    requests: REQUESTS_EN,
    nothingToEdit: 'This request has nothing to edit: neither query nor body.',
    payee: 'Payee',
    amount: 'Amount',
    experiments: 'Experiments',
    experiment: EXPERIMENTS_EN,
    obstacle: OBSTACLES_EN,
    flipIn: 'Flip in',
    parts: { ct: 'ct: ciphertext', tag: 'tag', ek: 'ek: wrapped key' },
    noCiphertext: 'An empty plaintext has no ciphertext. Choose another part.',
    minutes: 'Minutes',
    noMinutes: 'Type a whole number of minutes, by a day at most.',
    copiesOf: 'Copies of',
    copies: COPIES_EN,
    message: 'From plaintext to envelope',
    plainMessage: 'What is sent',
    notSent: 'Not sent yet',
    sentAs: (number: string, label: string) => `No. ${number}: ${label}`,
    plaintext: 'In the page, before sealing',
    plainOnWire: 'In the page, and on the wire',
    onWire: 'On the wire',
    answer: 'Answer',
    answerOnWire: 'On the wire, sealed',
    answerOpened: 'Opened in the page',
    answerPlain: 'In the clear',
    noAnswer: 'There is no answer yet.',
    emptyBody: 'No body.',
    verdict: {
      waiting: 'Nothing was sent yet. Press “Send”, and see the stages light up.',
      executed: 'Executed',
      refused: 'Refused',
      unknown: 'Outcome not known',
      refusedAt: (stage: string) => `Refused at: ${stage}`,
      executedOf: (executed: string, all: string) => `${executed} of ${all} executed`,
    },
    requestId: 'Request id',
    log: 'Log',
    logHint: 'The newest first. Open an entry to see it above, or compare it with the one shown.',
    emptyLog: 'Nothing was done yet.',
    open: (number: string) => `Open no. ${number}`,
    opened: 'Shown above',
    compare: (number: string) => `Compare no. ${number} with the one shown`,
    compareShort: 'Compare',
    openShort: 'Open',
    comparison: (shown: string, other: string) => `No. ${shown} and no. ${other}`,
    numbered: (number: string) => `No. ${number}`,
    property: 'Property',
    same: 'same',
    different: 'different',
    none: 'none',
    endComparison: 'Close the comparison',
    rows: {
      experiment: 'Experiment',
      target: 'Method and path',
      query: 'Query',
      body: 'Body',
      token: 'Digest of the token',
      key: 'Idempotency key',
      ts: 'ts',
      nonce: 'nonce',
      ek: 'ek',
      iv: 'iv',
      ct: 'ct',
      status: 'Answer',
      stage: 'Decided at',
    },
  },
  'zh-CN': {
    title: '实验室',
    purpose: '观察请求如何构建、密封和发送，然后攻击它。您会看到服务的哪个阶段拦下了攻击，以及原因。',
    off: {
      title: '此服务以明文接收请求',
      text: '其加密模式为 OFF，请求按原样显示和发送。若使用信封，代理和日志看不到查询和请求体，被改动的字节会被发现，副本会被拒绝。令牌、内容校验和幂等照常工作。如需查看信封，请以 SERVICE_API_ENCRYPTION_MODE=REQUIRED 和 SERVICE_API_ENCRYPTION_PRIVATE_KEY 启动服务。',
    },
    loading: '加载中',
    request: '请求',
    requestHint: '在此处的付款是此服务中的真实记录。',
    choose: '请求',
    requests: REQUESTS_ZH,
    nothingToEdit: '此请求没有可编辑的内容：既无查询也无请求体。',
    payee: '收款人',
    amount: '金额',
    experiments: '实验',
    experiment: EXPERIMENTS_ZH,
    obstacle: OBSTACLES_ZH,
    flipIn: '翻转位置',
    parts: { ct: 'ct：密文', tag: 'tag：标签', ek: 'ek：封装的密钥' },
    noCiphertext: '空的明文没有密文，请选择其他部分。',
    minutes: '分钟',
    noMinutes: '请输入整数分钟，最多一天。',
    copiesOf: '相同之处',
    copies: COPIES_ZH,
    message: '从明文到信封',
    plainMessage: '发送的内容',
    notSent: '尚未发送',
    sentAs: (number: string, label: string) => `第 ${number} 条：${label}`,
    plaintext: '密封之前，在页面中',
    plainOnWire: '在页面和线路上',
    onWire: '在线路上',
    answer: '应答',
    answerOnWire: '在线路上，已密封',
    answerOpened: '在页面中解开',
    answerPlain: '明文',
    noAnswer: '尚无应答。',
    emptyBody: '无内容。',
    verdict: {
      waiting: '尚未发送。点击“发送”，各阶段会依次亮起。',
      executed: '已执行',
      refused: '已拒绝',
      unknown: '结果未知',
      refusedAt: (stage: string) => `在“${stage}”阶段被拒绝`,
      executedOf: (executed: string, all: string) => `${all} 份中执行了 ${executed} 份`,
    },
    requestId: '请求编号',
    log: '记录',
    logHint: '最新的在前。打开一条可在上方查看，也可与当前显示的一条比较。',
    emptyLog: '尚无记录。',
    open: (number: string) => `打开第 ${number} 条`,
    opened: '显示在上方',
    compare: (number: string) => `将第 ${number} 条与当前显示的比较`,
    compareShort: '比较',
    openShort: '打开',
    comparison: (shown: string, other: string) => `第 ${shown} 条与第 ${other} 条`,
    numbered: (number: string) => `第 ${number} 条`,
    property: '项目',
    same: '相同',
    different: '不同',
    none: '无',
    endComparison: '关闭比较',
    rows: {
      experiment: '实验',
      target: '方法与路径',
      query: '查询',
      body: '请求体',
      token: '令牌摘要',
      key: '幂等键',
      ts: 'ts',
      nonce: 'nonce',
      ek: 'ek',
      iv: 'iv',
      ct: 'ct',
      status: '应答',
      stage: '裁决阶段',
    },
  },
});
