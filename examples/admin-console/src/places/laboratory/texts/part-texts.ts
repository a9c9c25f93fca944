import { defineTexts } from '../../../language/language.js';
import type { BoundField } from '../protocol/envelope.js';

/** The members of an envelope, the tag apart from the ciphertext before it. */
export const MEMBERS = ['kid', 'ts', 'nonce', 'ek', 'iv', 'ct', 'tag'] as const;
export type Member = (typeof MEMBERS)[number];

interface PartText {
  readonly name: string;
  readonly meaning: string;
}

const MEMBERS_EN: Readonly<Record<Member, PartText>> = {
  kid: {
    name: 'Key id',
    meaning: 'Names the public key of the service for which this envelope is sealed. So keys can be replaced.',
  },
  ts: {
    name: 'Time',
    meaning:
      'When it was sealed, in milliseconds since 1970. Outside a window around its own clock the service refuses it.',
  },
  nonce: {
    name: 'Nonce',
    meaning: '16 random bytes, new for each envelope. The replay guard records them: the second use is refused.',
  },
  ek: {
    name: 'Wrapped key',
    meaning:
      'A random key of 16 bytes, encrypted by SM2 for the service. C1 is a point of the curve, C3 an SM3 digest that proves the key, C2 the key itself.',
  },
  iv: { name: 'IV', meaning: '12 random bytes with which SM4-GCM starts. Never the same twice under one key.' },
  ct: { name: 'Ciphertext', meaning: 'The query or the body, encrypted by SM4-GCM. As long as the plaintext.' },
  tag: {
    name: 'Tag',
    meaning:
      'The last 16 bytes of ct. They prove that neither the ciphertext nor anything bound to it was changed by a single bit.',
  },
};

const MEMBERS_ZH: Readonly<Record<Member, PartText>> = {
  kid: { name: '密钥编号', meaning: '指明此信封为服务的哪个公钥而密封，因此密钥可以更换。' },
  ts: { name: '时间', meaning: '密封的时刻，自 1970 年起的毫秒数。超出服务时钟前后的允许范围即被拒绝。' },
  nonce: { name: '随机数', meaning: '16 个随机字节，每个信封都不同。防重放阶段会记录它，第二次使用即被拒绝。' },
  ek: {
    name: '封装的密钥',
    meaning: '16 字节的随机密钥，用 SM2 为服务加密。C1 是曲线上的点，C3 是验证密钥的 SM3 摘要，C2 是密钥本身。',
  },
  iv: { name: '初始向量', meaning: 'SM4-GCM 起始所用的 12 个随机字节，同一密钥下绝不重复。' },
  ct: { name: '密文', meaning: '用 SM4-GCM 加密的查询或请求体，与明文等长。' },
  tag: { name: '标签', meaning: 'ct 的最后 16 字节，证明密文及其绑定的内容一个比特也未被改动。' },
};

const BOUND_EN: Readonly<Record<BoundField, PartText>> = {
  version: { name: 'Version', meaning: 'The version of the protocol.' },
  suite: { name: 'Suite', meaning: 'The algorithms: SM2, SM4-GCM, with SM3.' },
  kid: { name: 'Key id', meaning: 'The key id of the envelope.' },
  carrier: { name: 'Carrier', meaning: 'Where the envelope travels. One made for a query does not work as a body.' },
  ts: { name: 'Time', meaning: 'The time of the envelope. A changed time breaks the tag.' },
  nonce: { name: 'Nonce', meaning: 'The nonce of the envelope. A new nonce on an old envelope breaks the tag.' },
  method: { name: 'Method', meaning: 'A sealed GET can’t be turned into a DELETE.' },
  path: { name: 'Path', meaning: 'An envelope for one address is refused at every other one.' },
  authorization: {
    name: 'Digest of the token',
    meaning:
      'SM3 of the bearer token, in base64url. An envelope that somebody held back can’t be submitted under another session.',
  },
  idempotencyKey: {
    name: 'Idempotency key',
    meaning: 'The key of the write. An envelope can’t be submitted under another key. A hyphen: there is none.',
  },
};

const BOUND_ZH: Readonly<Record<BoundField, PartText>> = {
  version: { name: '版本', meaning: '协议的版本。' },
  suite: { name: '套件', meaning: '所用算法：SM2、SM4-GCM 与 SM3。' },
  kid: { name: '密钥编号', meaning: '信封的密钥编号。' },
  carrier: { name: '载体', meaning: '信封所在的位置。为查询制作的信封不能用作请求体。' },
  ts: { name: '时间', meaning: '信封的时间。改动时间会使标签失效。' },
  nonce: { name: '随机数', meaning: '信封的随机数。给旧信封换上新随机数会使标签失效。' },
  method: { name: '方法', meaning: '密封的 GET 不能变成 DELETE。' },
  path: { name: '路径', meaning: '发往一个地址的信封在其他地址都会被拒绝。' },
  authorization: {
    name: '令牌摘要',
    meaning: '访问令牌的 SM3 摘要，base64url 编码。被人截留的信封不能在另一会话下提交。',
  },
  idempotencyKey: { name: '幂等键', meaning: '写入的幂等键。信封不能改用另一个键提交。连字符表示没有。' },
};

export const partTexts = defineTexts({
  en: {
    envelope: 'Envelope',
    envelopeHint: 'This is all that a proxy or a log sees. Point at a part, or move to it with the Tab key.',
    bound: 'Bound by the tag',
    boundHint: 'Not encrypted, but proven: the associated data of SM4-GCM, one value per line.',
    members: MEMBERS_EN,
    boundFields: BOUND_EN,
    bytes: (count: string) => `${count} bytes`,
    empty: 'No bytes: the plaintext is empty.',
    carriers: {
      body: 'Travels as the body: the envelope as JSON.',
      query: 'Travels in the address: the envelope as base64url, in the parameter __enc.',
    },
  },
  'zh-CN': {
    envelope: '信封',
    envelopeHint: '代理和日志看到的只有这些。指向某一部分，或用 Tab 键移到该处，即可查看说明。',
    bound: '由标签绑定',
    boundHint: '未加密，但经过验证：SM4-GCM 的附加数据，每行一个值。',
    members: MEMBERS_ZH,
    boundFields: BOUND_ZH,
    bytes: (count: string) => `${count} 字节`,
    empty: '没有字节：明文为空。',
    carriers: {
      body: '作为请求体传输：JSON 形式的信封。',
      query: '在地址中传输：base64url 形式的信封，位于参数 __enc。',
    },
  },
});
