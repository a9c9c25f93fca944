import { SegmentedControl, Stack } from '@mantine/core';
import { useState } from 'react';
import { useTexts } from '../../language/language.js';
import { MobileInput, type MobileInputProps } from '../codes/mobile-input.js';
import { CodeSignIn } from './code-sign-in.js';
import { PasswordSignIn } from './password-sign-in.js';
import { texts } from './texts.js';

export type SignInWay = 'code' | 'password';

const isWay = (value: string): value is SignInWay => value === 'code' || value === 'password';

export interface SignInWaysProps {
  readonly mobile: MobileInputProps;
  readonly first: SignInWay;
}

/** The two ways to sign in. */
export function SignInWays({ mobile, first }: SignInWaysProps) {
  const t = useTexts(texts);
  const [way, setWay] = useState<SignInWay>(first);
  const Way = way === 'code' ? CodeSignIn : PasswordSignIn;
  return (
    <Stack>
      <SegmentedControl
        aria-label={t.ways}
        fullWidth
        value={way}
        onChange={(value) => isWay(value) && setWay(value)}
        data={[
          { value: 'code', label: t.byCode },
          { value: 'password', label: t.byPassword },
        ]}
      />
      <Way mobile={mobile.value}>
        <MobileInput {...mobile} />
      </Way>
    </Stack>
  );
}
