import type { App } from '../../http/module.js';
import { createFactorDuty, type FactorDuty } from '../../protection/factor-duty.js';
import { factorParameters, factorPolicyOf, isEnrolledQuery } from '../second-factors/index.js';

const audienceOf = (audience: string) => (audience === 'admin' ? 'admin' : 'app');

/**
 * The duty of sessions to prove a factor, by the current parameters.
 *
 * @param now the clock of sessions
 */
export function factorDutyOf(app: Pick<App, 'systemParameters'>, now: () => number): FactorDuty {
  const definitionsOf = (audience: string): (typeof factorParameters)['admin' | 'app'] =>
    factorParameters[audienceOf(audience)];
  return createFactorDuty({
    rulesAtHand(audience) {
      const values = app.systemParameters.atHand(definitionsOf(audience));
      return values === null ? null : factorPolicyOf(values);
    },
    readRules: async (audience) => factorPolicyOf(await app.systemParameters.read(definitionsOf(audience))),
    isEnrolledOf: ({ audience, subject }) => isEnrolledQuery({ audience: audienceOf(audience), subject }),
    now,
  });
}
