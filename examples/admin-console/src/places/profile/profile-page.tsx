import { Anchor, Card, SimpleGrid, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useTexts } from '../../language/language.js';
import OwnFactors from '../../second-step/own-factors.js';
import { useMay, useProfile } from '../../session/profile.js';
import { Page } from '../../shell/page.js';
import { DisplayNameForm } from './display-name-form.js';
import { OwnPermissions } from './own-permissions.js';
import { PasswordForm } from './password-form.js';
import { texts } from './texts.js';

/** The own account: its name, its password, and what it may do. */
export default function ProfilePage() {
  const t = useTexts(texts);
  const { username } = useProfile();
  const may = useMay();
  const maySwitchOn = may('api:admin:system-parameters:read') && may('api:admin:system-parameters:write');
  return (
    <Page title={t.title} purpose={t.purpose(username)}>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Section title={t.profile}>
          <DisplayNameForm />
        </Section>
        <Section title={t.password}>
          <PasswordForm username={username} />
        </Section>
      </SimpleGrid>
      <Section title={t.factors}>
        <OwnFactors
          whileOff={
            maySwitchOn && (
              <Anchor component={Link} href="/parameters?search=second-factor.mode" size="sm" underline="always">
                {t.switchOn}
              </Anchor>
            )
          }
        />
      </Section>
      <Section title={t.permissions}>
        <OwnPermissions />
      </Section>
    </Page>
  );
}

function Section({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <Card withBorder padding="md" component="section">
      <Title order={2} size="h5" mb="sm">
        {title}
      </Title>
      {children}
    </Card>
  );
}
