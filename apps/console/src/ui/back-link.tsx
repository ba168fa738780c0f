import { Anchor, Group } from '@mantine/core';
import { ArrowLeftIcon } from '@radix-ui/react-icons';
import { Link } from 'wouter';

/** Leads from one of several to their list. */
export function BackLink({ href, children }: { readonly href: string; readonly children: string }) {
  return (
    <Anchor component={Link} href={href} underline="hover" fz="sm" w="fit-content">
      <Group gap={6} component="span">
        <ArrowLeftIcon aria-hidden /> {children}
      </Group>
    </Anchor>
  );
}
