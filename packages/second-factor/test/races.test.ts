import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lacks } from '../../../scripts/test-needs.js';
import { type OpenedStore, stores } from '../../../scripts/test-stores.js';
import { authenticatorOf, freshPrincipal, testFactors } from './factor-bench.js';

const proven = (results: readonly unknown[]) => results.filter((result) => result !== null);

describe.each(stores)('second factors on %s', (_name, open, need) => {
  let opened: OpenedStore;
  let bench: ReturnType<typeof testFactors>;
  let nodes: readonly ReturnType<typeof testFactors>['factors'][];

  describe.skipIf(lacks(need))('as two nodes see them', () => {
    beforeAll(async () => {
      opened = await open();
      bench = testFactors({ store: opened.nodes[0] });
      nodes = [bench.factors, bench.another({ store: opened.nodes[1] })];
    });
    afterAll(() => opened.close());

    const parallel = <Result>(count: number, use: (node: (typeof nodes)[number]) => Promise<Result>) =>
      Promise.all(Array.from({ length: count }, (_, index) => use(nodes[index % 2]!)));

    it('MFA-1: of 100 parallel uses of one TOTP code on two nodes, one is accepted', async () => {
      const { principal, codeAt } = await bench.enrolled();
      const code = codeAt(bench.now());
      expect(proven(await parallel(100, (node) => node.verifyTotp({ principal, code })))).toHaveLength(1);
      expect(proven(await parallel(2, (node) => node.verifyTotp({ principal, code })))).toHaveLength(0);
    });

    it('MFA-1: of 100 parallel uses of one recovery code on two nodes, one is accepted', async () => {
      const { principal } = await bench.enrolled();
      const [code = ''] = await bench.factors.createRecoveryCodes({ principal });
      expect(proven(await parallel(100, (node) => node.verifyRecoveryCode({ principal, code })))).toHaveLength(1);
      expect((await bench.read(principal)).recoveryCodes?.hashes).toHaveLength(9);
    });

    it('MFA-1: ten recovery codes and a TOTP code at the same moment are all accepted, each once', async () => {
      const { principal, codeAt } = await bench.enrolled();
      const codes = await bench.factors.createRecoveryCodes({ principal });
      const uses = [...codes, ...codes].map((code, index) => nodes[index % 2]!.verifyRecoveryCode({ principal, code }));
      const code = codeAt(bench.now());
      const results = await Promise.all([...uses, ...nodes.map((node) => node.verifyTotp({ principal, code }))]);
      expect(proven(results)).toHaveLength(11);
      expect((await bench.read(principal)).recoveryCodes?.hashes).toEqual([]);
    });

    it('MFA-1: one of 20 parallel confirmations on two nodes is accepted', async () => {
      const principal = freshPrincipal();
      const { id, secret } = await nodes[1]!.beginTotp({ principal, account: 'ada' });
      const code = authenticatorOf(secret)(bench.now());
      expect(proven(await parallel(20, (node) => node.confirmTotp({ principal, id, code })))).toHaveLength(1);
    });
  });
});
