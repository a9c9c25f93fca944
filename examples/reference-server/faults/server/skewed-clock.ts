// Preload module (`node --import`): shifts the clock by `FAULT_CLOCK_SKEW_MILLIS` plus the current number of
// milliseconds in `FAULT_CLOCK_FILE`. Timers are not affected.
import { readFileSync } from 'node:fs';

const { FAULT_CLOCK_SKEW_MILLIS: skew = '0', FAULT_CLOCK_FILE: file } = process.env;

const RealDate = Date;
const realNow = RealDate.now.bind(RealDate);

function skewedNow(): number {
  return realNow() + Number(skew) + (file === undefined ? 0 : Number(readFileSync(file, 'utf8')));
}

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [skewedNow()] : args, newTarget),
  apply: () => new RealDate(skewedNow()).toString(),
  get: (target, name, receiver) => (name === 'now' ? skewedNow : Reflect.get(target, name, receiver)),
});
