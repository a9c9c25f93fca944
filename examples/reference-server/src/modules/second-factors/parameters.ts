import { defineParameterTable, type ParameterValues } from '@sallyport/system-parameters';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Texts } from '../../http/language.js';
import type { FactorOwner } from './owner.js';

/** OFF: nobody is asked for a factor. OPTIONAL: who has one is. REQUIRED: everybody needs one. */
export const FACTOR_MODES = ['OFF', 'OPTIONAL', 'REQUIRED'] as const;

export type FactorMode = (typeof FACTOR_MODES)[number];

const group = { name: 'second-factor', texts: { en: 'Second factor', 'zh-CN': '第二因素' } } as const;
const MAX_GRACE_DAYS = 90;
const MAX_STEP_UP_MINUTES = 120;

const isMode = (value: unknown): value is FactorMode => FACTOR_MODES.includes(value as FactorMode);

const parametersOf = <Audience extends FactorOwner['audience']>(audience: Audience, who: Texts) =>
  ({
    mode: {
      key: `${audience}.auth.second-factor.mode`,
      type: 'STRING',
      default: 'OFF',
      // The value while the stored value is unusable. An accident must not turn the second factor off.
      fallback: 'REQUIRED',
      values: FACTOR_MODES,
      isPublic: false,
      description: `Second factor of ${who.en}: OFF, OPTIONAL (for accounts that have one) or REQUIRED`,
      translations: {
        'zh-CN': `${who['zh-CN']}的第二因素：OFF 关闭、OPTIONAL 已绑定的账号须校验、REQUIRED 所有账号必须使用`,
      },
      group,
    },
    graceDays: {
      key: `${audience}.auth.second-factor.grace-days`,
      type: 'LONG',
      default: 7,
      minimum: 0,
      maximum: MAX_GRACE_DAYS,
      unit: 'days',
      isPublic: false,
      description: `Days in which ${who.en} may set up a required second factor with the password alone, from the creation or reset of the account or the last change of the mode; afterwards they need a code`,
      translations: {
        'zh-CN': `${who['zh-CN']}仅凭密码绑定所需第二因素的宽限天数，自账号创建、重置或模式最近一次修改起计算；之后须使用绑定码`,
      },
      group,
    },
    stepUpMinutes: {
      key: `${audience}.auth.second-factor.step-up-minutes`,
      type: 'LONG',
      default: 10,
      minimum: 1,
      maximum: MAX_STEP_UP_MINUTES,
      unit: 'minutes',
      isPublic: false,
      description: `Minutes for which a factor of ${who.en}, or the password without one, allows sensitive operations`,
      translations: { 'zh-CN': `${who['zh-CN']}校验第二因素（未绑定时为密码）后可执行敏感操作的分钟数` },
      group,
    },
    stepUpForSessions: {
      key: `${audience}.auth.second-factor.step-up-for-sessions`,
      type: 'BOOLEAN',
      default: false,
      // Used while the stored value is unusable.
      fallback: true,
      isPublic: false,
      description: `Ending other sessions of the own account needs such a confirmation of ${who.en} as well; off, an owner ends them at once; administrators end those of others without one`,
      translations: {
        'zh-CN': `${who['zh-CN']}结束本人的其他会话前也须如此校验；关闭时可立即结束；管理员结束他人的会话无需校验`,
      },
      group,
    },
  }) as const;

/** MFA-2, MFA-3. */
export const factorParameters = {
  admin: parametersOf('admin', { en: 'administrators', 'zh-CN': '管理员' }),
  app: parametersOf('app', { en: 'app users', 'zh-CN': 'App 用户' }),
} as const;

type Definitions = (typeof factorParameters)['admin' | 'app'];

/** A table for each audience, so that if one value can't be used, the other audience's stay in force. */
export const factorParameterTables = [
  defineParameterTable<(typeof factorParameters)['admin'], FastifyRequest>({ definitions: factorParameters.admin }),
  defineParameterTable<(typeof factorParameters)['app'], FastifyRequest>({ definitions: factorParameters.app }),
];

/** The rules of an audience. */
export interface FactorPolicy {
  readonly mode: FactorMode;
  readonly graceDays: number;
  readonly stepUpMinutes: number;
  readonly stepUpForSessions: boolean;
}

/** The current rules. */
export async function readFactorPolicy(
  { systemParameters }: Pick<FastifyInstance, 'systemParameters'>,
  audience: FactorOwner['audience'],
): Promise<FactorPolicy> {
  return factorPolicyOf(await systemParameters.read<Definitions>(factorParameters[audience]));
}

/** Every request asks for the rules, and its values are the same object until a parameter changes. */
const policies = new WeakMap<ParameterValues<Definitions>, FactorPolicy>();

/** The rules in these values. */
export function factorPolicyOf(values: ParameterValues<Definitions>): FactorPolicy {
  let policy = policies.get(values);
  if (policy === undefined) {
    const { mode, ...limits } = values;
    policy = { ...limits, mode: isMode(mode) ? mode : 'REQUIRED' };
    policies.set(values, policy);
  }
  return policy;
}
