import type { Attack } from './attack.js';
import {
  guessesOfCodes,
  messagesAbroad,
  messagesToStrangers,
  messagesWithoutCaptcha,
  takeoversBySpraying,
  takeoversOfNumber,
} from './bounds.js';
import type { CaptchaHand } from './captcha-desk.js';
import { captchaThief } from './captcha-thief.js';
import { stepAt } from './clock.js';
import { codeThief, type GuessManner } from './code-thief.js';
import { codeUsers, type HonestUser } from './honest.js';
import { ipv4Network, type Network, networksOf48, networksOf64, oneAddress } from './networks.js';
import { firstOf, numbersAbroad, numbersOf, PREFIXES_ABROAD } from './numbers.js';
import type { Cast } from './password-cast.js';
import { smsPumper } from './sms-pumper.js';
import type { Stage } from './stage.js';

export interface CodeCastOptions {
  /** The share of pictures that a program reads. */
  readonly readerShare: number;
  /** How many users share the address of a carrier. */
  readonly carrierUsers: number;
  /** Minutes from one sign-in of the owner of a number under attack to the next. */
  readonly ownerEvery: number;
}

/** For two hours more than strangers get in an hour, later a little: a day of it would only repeat the refusals. */
const pumped = (minute: number) => (minute < 120 ? 40 : 4);

/** Five sign-ins in two minutes: 3600 a day behind one address. */
const throughCarrier = (minute: number) => (minute % 2 === 0 ? 2 : 3) * stepAt(minute);

const everyMinutes = (minutes: number) => (minute: number) => (minute % minutes === 0 ? 1 : 0);

/** App users, and those who pump messages, guess codes, and want users shut out. */
export function codeCast(stage: Stage, { readerShare, carrierUsers, ownerEvery }: CodeCastOptions): Cast {
  const attacks: Attack[] = [];
  const honest: HonestUser[] = [];
  const { captchas } = stage;

  crowds();
  pumpers();
  thieves();
  strangers();
  return { attacks, honest };

  function crowds(): void {
    honest.push(
      codeUsers(stage, {
        who: `app users behind the address of one carrier`,
        mobiles: firstOf(numbersOf('139'), carrierUsers),
        known: carrierUsers,
        address: oneAddress('198.18.2.1'),
        perMinute: throughCarrier,
        keepsHandle: true,
      }),
      codeUsers(stage, {
        who: 'new app users, each from an address of his own',
        mayBeRefused: 'OTC-2: half of the budget is for numbers that have signed in',
        mobiles: firstOf(numbersOf('150'), 100_000),
        known: 0,
        address: networksOf48(0xb000, 5000),
        perMinute: () => 1,
        keepsHandle: true,
      }),
    );
  }

  /** The owner of a number that is under attack. */
  function owner(mobile: string, who: string, keepsHandle: boolean): void {
    const address = oneAddress(`198.18.3.${honest.length + 1}`);
    honest.push(
      codeUsers(stage, { who, mobiles: [mobile], known: 1, address, perMinute: everyMinutes(ownerEvery), keepsHandle }),
    );
  }

  function pump(
    attack: string,
    from: string,
    network: Network,
    prefix: string,
    hand: CaptchaHand | null,
    addresses: number | null,
  ): void {
    const bound = (minutes: number) =>
      addresses === null ? messagesToStrangers(minutes) : messagesWithoutCaptcha(minutes, addresses);
    const mobile = numbersOf(prefix);
    attacks.push(
      smsPumper(stage, {
        attack,
        from,
        network,
        mobile,
        prefixes: [`+86${prefix}`],
        perMinute: pumped,
        captchas: hand,
        bound,
      }),
    );
  }

  function pumpers(): void {
    attacks.push(
      smsPumper(stage, {
        attack: 'pumper abroad, six countries',
        from: '50 IPv4 addresses',
        network: ipv4Network(64, 50),
        mobile: numbersAbroad,
        prefixes: PREFIXES_ABROAD,
        perMinute: pumped,
        captchas: captchas.reader(readerShare),
        bound: () => messagesAbroad,
      }),
    );
    pump('pumper without captchas', '50 IPv4 addresses', ipv4Network(65, 50), '135', null, 50);
    pump('pumper without captchas', '1000 IPv4 addresses', ipv4Network(66, 1000), '136', null, 1000);
    pump('pumper without captchas', '60 000 /64s of one /48', networksOf64(0xc0, 60_000), '137', null, 1);
    pump(
      'pumper with a captcha reader',
      '50 IPv4 addresses',
      ipv4Network(70, 50),
      '157',
      captchas.reader(readerShare),
      null,
    );
    // The numbers of his own carrier: honest users of the same prefix may have to answer captchas.
    pump('pumper with people who read', '1000 IPv4 addresses', ipv4Network(71, 1000), '1399', captchas.person(), null);
    attacks.push(
      smsPumper(stage, {
        attack: 'pumper with proofs of work',
        from: '1 address',
        network: oneAddress('198.18.80.1'),
        mobile: () => numbersOf('158')(0),
        prefixes: ['+86158'],
        perMinute: everyMinutes(5),
        captchas: captchas.prover(),
        bound: messagesToStrangers,
      }),
      captchaThief(stage, {
        attack: 'captcha replays, swaps and races',
        from: '200 IPv4 addresses',
        network: ipv4Network(81, 200),
        mobile: numbersOf('159'),
        perMinute: everyMinutes(5),
      }),
    );
  }

  function thieves(): void {
    const targeted: readonly (readonly [manner: GuessManner, hasCaptcha: boolean, keepsHandle: boolean])[] = [
      ['handle', false, true],
      ['handle', true, true],
      ['no handle', false, false],
      ['no handle', true, false],
      ['recovery', true, true],
    ];
    for (const [index, [manner, hasCaptcha, keepsHandle]] of targeted.entries()) {
      const mobile = numbersOf('188')(index);
      const words = `${manner}${hasCaptcha ? ', with captchas' : ''}`;
      owner(mobile, `owner of a number whose codes are guessed: ${words}`, keepsHandle);
      attacks.push(
        codeThief(stage, {
          attack: `thief of one number's codes: ${words}`,
          from: '2000 /48s',
          network: networksOf48(0xd000 + index * 0x800, 2000),
          victims: () => [mobile],
          manner,
          captchas: hasCaptcha ? captchas.person() : null,
          guesses: (minutes) => guessesOfCodes(minutes, hasCaptcha),
          takeovers: (minutes) => takeoversOfNumber(minutes, hasCaptcha),
        }),
      );
    }
    for (const [index, manner] of (['handle', 'no handle'] as const).entries()) {
      const perMinute = 4;
      const mobile = numbersOf(`18${index}`);
      attacks.push(
        codeThief(stage, {
          attack: `spraying thief of codes: ${manner}`,
          from: '1000 IPv4 addresses',
          network: ipv4Network(90 + index * 4, 1000),
          victims: (minute) => Array.from({ length: perMinute }, (_, offset) => mobile(minute * perMinute + offset)),
          manner,
          captchas: captchas.person(),
          guesses: null,
          takeovers: takeoversBySpraying,
          probesLimit: true,
        }),
      );
    }
  }

  /** A stranger who wants a number's owner shut out: he has codes sent to it, and answers every captcha. */
  function strangers(): void {
    const mobile = numbersOf('189')(0);
    owner(mobile, 'owner of a number to which a stranger has codes sent', true);
    attacks.push(
      smsPumper(stage, {
        attack: 'stranger who sends to one number',
        from: '1000 IPv4 addresses',
        network: ipv4Network(100, 1000),
        mobile: () => mobile,
        prefixes: ['+86189'],
        perMinute: () => 3,
        captchas: captchas.person(),
        bound: messagesToStrangers,
      }),
    );
  }
}
