import { CAPTCHA_KINDS, type CaptchaKind, PROOF_OF_WORK_DEFAULTS } from '@sallyport/captcha';
import { defineParameterTable, type ParameterValues, type SystemParametersOptions } from '@sallyport/system-parameters';
import type { FastifyRequest } from 'fastify';
import type { Texts } from '../../http/language.js';

const group = { name: 'captcha', texts: { en: 'Captchas', 'zh-CN': '人机验证' } } as const;

/** ADM-1. If the stored value is invalid, the captcha is required. */
export const captchaParameters = {
  enabled: {
    key: 'admin.auth.captcha.enabled',
    type: 'BOOLEAN',
    default: false,
    fallback: true,
    isPublic: true,
    description: 'Administrators must answer a captcha to sign in',
    translations: { 'zh-CN': '管理员登录时须通过人机验证' },
    group,
  },
} as const;

export const captchaParameterTable = defineParameterTable<typeof captchaParameters, FastifyRequest>({
  definitions: captchaParameters,
});

/** CAP-1: the cost of a proof of work. A captcha keeps the values with which it was issued. */
export const proofOfWorkParameters = {
  cost: {
    key: 'auth.captcha.proof-of-work.cost',
    type: 'LONG',
    default: PROOF_OF_WORK_DEFAULTS.cost,
    minimum: PROOF_OF_WORK_DEFAULTS.puzzles,
    maximum: 10_000,
    unit: 'count',
    isPublic: false,
    description: 'Scrypt evaluations that a proof of work needs on average; 90 take a laptop about a second',
    translations: { 'zh-CN': '完成一次工作量证明平均需要的 scrypt 计算次数；笔记本电脑计算 90 次约需一秒' },
    group,
  },
  memoryMebibytes: {
    key: 'auth.captcha.proof-of-work.memory-mebibytes',
    type: 'INTEGER',
    default: PROOF_OF_WORK_DEFAULTS.memoryMebibytes,
    minimum: 1,
    maximum: 64,
    unit: 'mebibytes',
    isPublic: false,
    description: 'Memory that each scrypt evaluation of a proof of work needs on the device; a power of two',
    translations: { 'zh-CN': '工作量证明的每次 scrypt 计算在设备上占用的内存，须为 2 的幂' },
    group,
  },
} as const;

export const proofOfWorkParameterTable = defineParameterTable<typeof proofOfWorkParameters, FastifyRequest>({
  definitions: proofOfWorkParameters,
  rules: ({ memoryMebibytes }) =>
    Number.isInteger(Math.log2(memoryMebibytes)) ? [] : ['memory-mebibytes must be a power of two'],
});

/** The purposes of captchas (CAP-1). A captcha of the app opens nothing of the administrators (CAP-3). */
export const CAPTCHA_PURPOSES = ['login', 'register', 'app-login', 'sms', 'recover'] as const;

export type CaptchaPurpose = (typeof CAPTCHA_PURPOSES)[number];

const whatNeedsIt: Readonly<Record<CaptchaPurpose, Texts>> = {
  login: { en: 'a sign-in of administrators', 'zh-CN': '管理员登录' },
  register: { en: 'a registration', 'zh-CN': '注册' },
  'app-login': { en: 'a sign-in to the app', 'zh-CN': 'App 用户登录' },
  sms: { en: 'a request for a code', 'zh-CN': '发送短信验证码' },
  recover: { en: 'the recovery of an account', 'zh-CN': '找回账号' },
};

const kindsParameter = <Purpose extends CaptchaPurpose>(purpose: Purpose) =>
  ({
    kinds: {
      key: `auth.captcha.kinds.${purpose}`,
      type: 'STRING',
      default: 'image,proof-of-work',
      maxLength: 100,
      isPublic: false,
      description: `Kinds of captchas that ${whatNeedsIt[purpose].en} accepts, separated by commas: ${CAPTCHA_KINDS.join(', ')}; the first is the default`,
      translations: {
        'zh-CN': `${whatNeedsIt[purpose]['zh-CN']}可用的人机验证类型，以逗号分隔：${CAPTCHA_KINDS.join('、')}；默认使用第一项`,
      },
      group,
      check: kindsFault,
    },
  }) as const;

/** The kinds that are accepted for each purpose. The weakest one decides the strength (CAP-1). */
export const captchaKindsParameters = {
  login: kindsParameter('login'),
  register: kindsParameter('register'),
  'app-login': kindsParameter('app-login'),
  sms: kindsParameter('sms'),
  recover: kindsParameter('recover'),
} as const;

type KindsDefinitions = (typeof captchaKindsParameters)[CaptchaPurpose];
type ParameterTables = SystemParametersOptions<FastifyRequest>['tables'];

/** A table for each purpose, so that if one value can't be used, the others stay in force. */
export const captchaKindsTables = CAPTCHA_PURPOSES.map((purpose) =>
  defineParameterTable<KindsDefinitions, FastifyRequest>({ definitions: captchaKindsParameters[purpose] }),
);

/**
 * The same tables for a server without a provider. `external` is then refused when it is written. If it was stored
 * before, the default is in force.
 */
export function withoutExternal(tables: ParameterTables): ParameterTables {
  const rules = ({ kinds }: ParameterValues<KindsDefinitions>) =>
    kindsOf(kinds).includes('external') ? ['external needs a provider: SERVICE_CAPTCHA_VERIFY_URL is not set'] : [];
  return tables.map((table) => {
    const own = captchaKindsTables.find((each) => Object.is(each, table));
    return own === undefined ? table : defineParameterTable<KindsDefinitions, FastifyRequest>({ ...own, rules });
  });
}

/** The kinds of a value. */
export function kindsOf(value: string): readonly CaptchaKind[] {
  return value.split(',').map((kind) => kind.trim() as CaptchaKind);
}

function kindsFault(value: string): string | null {
  const kinds = kindsOf(value);
  const isRight = kinds.every((kind) => CAPTCHA_KINDS.includes(kind)) && new Set(kinds).size === kinds.length;
  return isRight ? null : `must be kinds, separated by commas, each once: ${CAPTCHA_KINDS.join(', ')}`;
}
