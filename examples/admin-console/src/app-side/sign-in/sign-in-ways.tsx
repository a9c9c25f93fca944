import { Button, Stack } from '@mantine/core';
import { lazy, Suspense, startTransition, useState } from 'react';
import { useTexts } from '../../language/language.js';
import { loadAhead } from '../../load-ahead.js';
import { usePendingSignIn } from '../../service/service.js';
import { MobileInput, type MobileInputProps } from '../codes/mobile-input.js';
import { CodeSignIn } from './code-sign-in.js';
import { texts } from './texts.js';

/** Newcomers sign in by code. */
const loadPasswordSignIn = () => import('./password-sign-in.js');
const PasswordSignIn = lazy(loadPasswordSignIn);
loadAhead(loadPasswordSignIn);

/** Loaded where a sign-in needs it. */
const SecondStep = lazy(() => import('../../second-step/second-step.js'));

const WAYS = ['code', 'password'] as const;
type SignInWay = (typeof WAYS)[number];

export interface SignInWaysProps {
  readonly mobile: MobileInputProps;
  readonly first: SignInWay;
}

/** The two ways to sign in. */
export function SignInWays({ mobile, first }: SignInWaysProps) {
  const t = useTexts(texts);
  const [way, setWay] = useState<SignInWay>(first);
  const pending = usePendingSignIn();
  const Way = way === 'code' ? CodeSignIn : PasswordSignIn;
  if (pending !== null) {
    return (
      <Suspense>
        <SecondStep pending={pending} />
      </Suspense>
    );
  }
  return (
    <Stack>
      <Button.Group aria-label={t.ways}>
        {WAYS.map((each) => (
          <Button
            key={each}
            fullWidth
            variant={way === each ? 'light' : 'default'}
            aria-pressed={way === each}
            // The form stays until the other one is loaded.
            onClick={() => startTransition(() => setWay(each))}
          >
            {t.byWay[each]}
          </Button>
        ))}
      </Button.Group>
      <Suspense>
        <Way mobile={mobile.value}>
          <MobileInput {...mobile} />
        </Way>
      </Suspense>
    </Stack>
  );
}
